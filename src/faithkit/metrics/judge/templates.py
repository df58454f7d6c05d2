"""Which templates a judge asks with: by setting, scale, protocol and wording, and with the worked
examples of each row's origin [FCLLM §3]. The texts are in `prompts/`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.prompts import Template
from faithkit.metrics.judge.prompts import examples as worked
from faithkit.records import JSON, ConfigError, DataError, Example, canonical_json

Setting = Literal["zero-shot", "few-shot"]
Scale = Literal["yesno", "1-5", "1-10", "0-100"]
Protocol = Literal["consistency", "clinical", "clinical-yesno"]
Wording = Literal["faithkit", "published"]

OWN_ORIGIN = "row"


@dataclass(frozen=True, slots=True)
class Templates:
    """The template of all rows, or one for each origin of rows, with its worked examples."""

    for_all: Template | None
    by_origin: Mapping[str, Template]

    def of(self, example: Example) -> Template:
        """The template for a row. Raises DataError where its origin has no worked examples."""
        if self.for_all is not None:
            return self.for_all
        origin = example.meta.get("origin")
        template = self.by_origin.get(str(origin))
        if template is None:
            has = f"is of the origin '{origin}'" if origin else "has no field 'origin'"
            raise DataError(f"judge: row '{example.id}' {has}. {self.remedy}")
        return template

    @property
    def remedy(self) -> str:
        """What to do about a row whose origin has no worked examples."""
        return (
            f"There are worked examples of {', '.join(self.by_origin)} only: give others with "
            "examples=FILE, or name one origin for all rows, as "
            f"origin={next(iter(self.by_origin))}"
        )

    @property
    def hash(self) -> str:
        """SHA-256 of all that does not depend on the pair."""
        if self.for_all is not None:
            return self.for_all.hash
        hashes: dict[str, JSON] = {name: template.hash for name, template in self.by_origin.items()}
        return hashlib.sha256(canonical_json(hashes).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Questioning:
    """How a judge is asked; see the options of `Judge`. Raises ConfigError on options that do not
    go together."""

    setting: Setting
    cot: bool
    scale: Scale
    protocol: Protocol
    wording: Wording
    prompt: str | None

    def __post_init__(self) -> None:
        few_shot = self.setting == "few-shot"
        if (self.scale != "yesno" or self.protocol == "clinical") and (self.cot or few_shot):
            raise ConfigError("judge: setting=few-shot and cot=on are for yes or no only")
        if self.scale != "yesno" and self.protocol != "consistency":
            raise ConfigError(
                f"judge: protocol={self.protocol} has a scale of its own; leave scale out"
            )
        if self.protocol == "clinical-yesno" and few_shot and self.prompt is None:
            raise ConfigError(
                "judge: there are no clinical examples in the package; give prompt=FILE with a "
                "slot {examples}, and examples=FILE"
            )
        if self.wording == "published" and not (
            self.prompt is None and self.protocol == "consistency"
        ):
            raise ConfigError(
                "judge: wording=published is for the package's prompts of consistency"
            )

    def templates(self, examples: str, origin: str) -> Templates:
        """The templates with the worked examples of a file, "" for those of the package, and of an
        origin, "row" for that of each row. Raises ConfigError where they do not fit."""
        template = self._template()
        if not template.has_examples:
            if self.setting == "few-shot":
                raise ConfigError(
                    f"prompt {self.prompt}: has no {{examples}}, which setting=few-shot shows"
                )
            if examples or origin != OWN_ORIGIN:
                raise ConfigError("judge: examples and origin are for setting=few-shot")
            return Templates(template, {})
        available = worked.from_file(examples, self.cot) if examples else worked.shipped(self.cot)
        by_origin = {name: replace(template, examples=shown) for name, shown in available.items()}
        if origin != OWN_ORIGIN:
            if origin not in by_origin:
                choices = ", ".join(filter(None, by_origin)) or "none (the file names no origin)"
                raise ConfigError(
                    f"judge: no examples of origin={origin}; there are those of: {choices}"
                )
            return Templates(by_origin[origin], {})
        if worked.ANY in by_origin:
            return Templates(by_origin[worked.ANY], {})
        return Templates(None, by_origin)

    def _template(self) -> Template:
        """What is asked, without worked examples."""
        if self.prompt is not None:
            return prompts.user_template(self.prompt)
        folder = "published/" if self.wording == "published" else ""
        if self.protocol == "clinical":
            return prompts.packaged("clinical")
        if self.scale != "yesno":
            return prompts.packaged(f"{folder}rating-{self.scale}")
        name = self.setting if self.protocol == "consistency" else self.protocol
        return prompts.packaged(f"{folder}{name}-cot" if self.cot else f"{folder}{name}")
