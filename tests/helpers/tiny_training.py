"""A few labelled rows, and a data folder with files in the shape of the real ones, for the tests of
training the support model. No test is in here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from faithkit.language.words import words
from faithkit.records import document_id
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

ARTICLES = (
    "The council of Brookfield voted on Tuesday to spend £1.9m on a new library. Mayor Anna Reyes "
    "said building work would begin in March. Two members, Lee and Okafor, voted against the plan. "
    "Critics said the money should go to the old bridge, which was closed in 2019. The library "
    "lost 12,000 books in the flood.",
    "A ferry ran aground off Harwich on Sunday night with 214 people on board. All of them were "
    "taken to the harbour in lifeboats. Captain Maria Olsen told reporters that a sensor had "
    "failed. The company, Nordline, cancelled its sailings until Thursday. Nobody was badly hurt, "
    "the coastguard said. The ferry was built in 1998.",
    "Scientists at Leiden found a frog that changes its colour in 30 seconds. It lives in the "
    "forests of northern Peru. The team, led by Jan de Vries, watched 46 animals for two years. "
    "Its members believe that the frogs warn each other of snakes. The study was published in "
    "June, and a second one is planned.",
)


def labelled(
    summary: str,
    unsupported: Sequence[str] | None = (),
    target: tuple[float, float, float] | None = None,
    file: str = "bump1",
    source: str = ARTICLES[0],
) -> Labelled:
    """A summary with these words unsupported and all others supported; None: nothing is known."""
    labels = tuple(
        (word.start, word.end, float(word.text in (unsupported or ()))) for word in words(summary)
    )
    kept = () if unsupported is None else labels
    return Labelled(file, document_id(source), source, summary, kept, target)


ROWS = [
    labelled("The council voted to spend £1.9m on a library.", [], ENTAILED),
    labelled("The council voted to spend £3m on a stadium.", ["3m", "stadium"], UNSUPPORTED),
    labelled("Anna Reyes said work would begin in March. Paris won the cup.",
             ["Paris", "won", "the", "cup"], UNSUPPORTED),
    labelled("A ferry ran aground off Harwich.", [], ENTAILED, "begin", ARTICLES[1]),
    labelled("A plane crashed near Oslo.", ["plane", "crashed", "Oslo"], UNSUPPORTED, "begin",
             ARTICLES[1]),
    labelled("Hundreds were killed.", None, UNSUPPORTED, "begin", ARTICLES[1]),
    labelled("Scientists found a frog that changes its colour.", [], ENTAILED, "nli_snli",
             ARTICLES[2]),
    labelled("The frog lives in Chile.", ["Chile"], UNSUPPORTED, "nli_snli", ARTICLES[2]),
    labelled("The team watched 900 whales.", ["900", "whales"], UNSUPPORTED, "nli_snli",
             ARTICLES[2]),
]  # fmt: skip


def put(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """The rows as a JSONL file, with an id each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": f"r{i}", **row}) for i, row in enumerate(rows))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


STORY = (
    "Mara walked to the lake at dawn. She found a red kite in the reeds. An old man asked her to "
    "keep it. In the evening her brother flew it over the hills."
)
CHAT = "Tom: Are we meeting at 6?\nEva: No, at 7. I will bring the cake.\nTom: Good, see you then."


def data_folder(root: Path) -> Path:
    """Files of two families to learn from and of two to calibrate on, and the claims set."""
    put(root / "bench" / "bump1.jsonl", [
        {"source": ARTICLES[0], "summary": summary, "label": label, "group": group}
        for group, label, summary in (
            ("1", 1, "The council voted to spend £1.9m on a library."),
            ("1", 0, "The council voted to spend £3m on a stadium."),
            ("2", 1, "Two members voted against the plan. Critics want a bridge."),
            ("2", 0, "Nine members voted against the plan. Critics want a bridge."),
        )
    ])  # fmt: skip
    marked = []
    for summary, unsupported in (
        ("A ferry ran aground off Harwich.", ()),
        ("A plane ran aground off Oslo.", ("plane", "Oslo")),
        ("Maria Olsen said that a sensor had failed.", ()),
        ("Maria Olsen said that 900 people died.", ("900", "people", "died")),
    ):
        tokens = [word.text for word in words(summary)]
        flags = [token in unsupported for token in tokens]
        marked.append({"source": ARTICLES[1], "summary": summary, "tokens": tokens,
                       "unsupported": flags})  # fmt: skip
    put(root / "train" / "wice_tokens_dev.jsonl", marked)
    put(root / "bench" / "storysumm_dev.jsonl", [
        {"source": STORY, "summary": summary, "label": label, "sentences": [[summary, label]]}
        for summary, label in (
            ("Mara found a red kite in the reeds.", 1),
            ("Mara found a blue boat on the hill.", 0),
            ("Her brother flew the kite in the evening.", 1),
            ("The old man drowned.", 0),
        )
    ])  # fmt: skip
    put(root / "bench" / "faceval_dev.jsonl", [
        {"source": CHAT, "summary": "Tom and Eva meet at 7.", "label": 1},
        {"source": CHAT, "summary": "Tom and Eva meet at 6.", "label": 0},
        {"source": CHAT, "summary": "Tom will bring the cake.", "label": 0},
    ])  # fmt: skip
    put(root / "bench" / "diasumfact_dev.jsonl", [
        {"source": CHAT, "summary": summary, "label": 1, "part": part,
         "sentences": [[summary, 1]], "spans": []}
        for part, summary in (("SAMSum", "Eva brings the cake."), ("QMSum", "They meet at 7."))
    ])  # fmt: skip
    put(root / "claims" / "claims.jsonl", [
        {"source": ARTICLES[2], "summary": summary, "label": int(not spans), "pair": "p",
         "document": "d", "split": split, "error_types": ["number"] if spans else [],
         "spans": [[*span, "number"] for span in spans]}
        for split in ("train", "dev")
        for summary, spans in (
            ("The team watched 46 animals.", ()),
            ("The team watched 90 animals.", ((17, 19),)),
        )
    ])  # fmt: skip
    return root
