"""One page that says what a metric can be trusted with, as HTML and as Markdown.

Made from `summary.json` of a run (`run.py`) alone: no model, no dataset. The HTML is one file
without any request; every text of a dataset is escaped. The Markdown has no texts of the datasets,
so it may be published where they may not.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.caveats import Caveats, caveat_lines, marks
from faithkit.cut_tally import CutTally
from faithkit.report import pages, plots
from faithkit.stress.suites import edits, gaming, load
from faithkit.stress.suites.base import FAILS, PASSES, interval, lacking, number

Summary = Mapping[str, Any]
"""What `run.run` returned, or `summary.json` read again."""

MEMBER_NOTES = {
    edits.INCONSISTENT: "Harmless edits of inconsistent summaries, as in [STRESS]",
    edits.CONSISTENT: "Harmless edits of consistent summaries",
}
"""What stands above a table of harmless edits."""

INTERVALS = (
    "Intervals are 95% bootstrap intervals by source document. Fewer than 10 documents give none, "
    "and the rules that need one, or a rate, say nothing then; a value that is the same in all "
    "resamples stands without one."
)

MARKS = {PASSES: "✓", FAILS: "✗"}
SHOWN_SOURCE = 1500
SIGNED = ("change", "gap", "largest rise", "difference", "(a - c)", "(b - d)")
"""What the name of a statistic ends with that is a difference, so shown with its sign."""


def write(folder: Path, summary: Summary) -> list[Path]:
    """Writes `stress.html`, `stress.md` and each suite's plot as `stress-SUITE.png`; returns the
    paths of the first two. Raises DataError."""
    paths = []
    for name, text in (("stress.html", html(summary)), ("stress.md", markdown(summary))):
        writing.write_text(folder / name, text)
        paths.append(folder / name)
    for name in summary["figures"]:
        _draw(folder / f"stress-{name}.png", summary, name)
    return paths


def html(summary: Summary) -> str:
    """The self-contained HTML page. The same summary gives the same bytes."""
    return pages.render(
        "stress.html",
        question=_question(summary),
        labels=[metric["metric"] for metric in summary["metrics"]],
        datasets=_datasets(summary),
        limit=summary["settings"]["limit"],
        seed=summary["settings"]["seed"],
        intervals=INTERVALS,
        skipped=summary["skipped"],
        metrics=[_card(summary, metric) for metric in summary["metrics"]],
        suites=[_suite(summary, name) for name in summary["figures"]],
        worst=_worst(summary),
        rules=_rules(summary),
    )


def markdown(summary: Summary) -> str:
    """The page as Markdown, without plots and without texts of the datasets."""
    settings = summary["settings"]
    lines = [f"# {_question(summary)}", "", f"Tests on {_datasets(summary)}; "
             f"limit {settings['limit'] or 'none'}, seed {settings['seed']}. "
             f"{INTERVALS}", ""]  # fmt: skip
    for skip in summary["skipped"]:
        lines += [f"Not run: {skip['suite']} on {skip['dataset']}: {_plain(skip['reason'])}", ""]
    for metric in summary["metrics"]:
        card = _card(summary, metric)
        lines += [f"## {_plain(card['label'])}", "", f"`{card['signature']}`", "",
                  f"{card['count']}", "", *_spaced(card["footnotes"])]  # fmt: skip
        for suite in card["suites"]:
            lines += [f"**{suite['title']}**", ""]
            for finding in suite["findings"]:
                words = f"{_plain(finding['words'])} {finding['verdict'].capitalize()}."
                lines.append(f"- {finding['mark']} {words}")
            lines.append("")
    for name in summary["figures"]:
        lines += [f"## {load(name).title}", "", load(name).about, ""]
        if name == gaming.NAME:
            counts = [f"{count} summaries of {_plain(dataset)}"
                      for dataset, count in summary["mined_from"].items() if count]  # fmt: skip
            if counts:
                lines += [f"The bigrams mined from {', '.join(counts)} are in `bigrams.jsonl` "
                          "beside this page.", ""]  # fmt: skip
        for table in _tables(summary, name):
            lines += [f"### {_plain(table['title'])}", ""] if table["title"] else []
            lines += [_plain(table["note"]), ""] if table["note"] else []
            lines += _table(table["header"], table["rows"])
        lines += _spaced(_suite_footnotes(summary, name))
    header = ["suite", "a good metric", "passes where"]
    lines += ["## The rules", "", *_table(header, _rules(summary))]
    return "\n".join(lines).rstrip() + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(_plain(cell) for cell in row) + " |" for row in lines] + [""]


def _spaced(lines: Sequence[str]) -> list[str]:
    return [paragraph for line in lines for paragraph in (_plain(line), "")]


def _plain(text: str) -> str:
    """One line that Markdown shows as it is."""
    flat = " ".join(text.split())
    return flat.replace("|", "\\|").replace("<", "&lt;")


def _question(summary: Summary) -> str:
    """The page's title."""
    metrics = "this metric" if len(summary["metrics"]) == 1 else "these metrics"
    return f"What can {metrics} be trusted with?"


def _datasets(summary: Summary) -> str:
    return ", ".join(f"{data['name']} ({data['rows']} rows)" for data in summary["datasets"])


def _card(summary: Summary, metric: Mapping[str, Any]) -> dict[str, Any]:
    findings = summary["findings"][metric["metric"]]
    passed = sum(finding["verdict"] == PASSES for finding in findings)
    failed = sum(finding["verdict"] == FAILS for finding in findings)
    undetermined = len(findings) - passed - failed
    suites = []
    for name in summary["figures"]:
        of_suite = [{**finding, "mark": MARKS.get(finding["verdict"], "–"),
                     "style": finding["verdict"] if finding["verdict"] in MARKS else "open"}
                    for finding in findings if finding["suite"] == name]  # fmt: skip
        if of_suite:
            count = sum(finding["verdict"] == PASSES for finding in of_suite)
            title = f"{load(name).title}: {count} of {len(of_suite)}"
            suites.append({"title": title, "findings": of_suite})
    return {
        "label": metric["metric"],
        "unit": str(metric["unit"])[:1].upper() + str(metric["unit"])[1:],
        "range": _range(*metric["bounds"]),
        "signature": metric["signature"],
        "count": f"Passes {passed}, fails {failed}"
        + (f"; {undetermined} undetermined." if undetermined else "."),
        "suites": suites,
        "footnotes": footnotes(summary, metric["metric"]),
    }


def footnotes(summary: Summary, label: str) -> list[str]:
    """How much of each suite's texts, over all datasets, a metric did not see, and whether it was
    trained on rows of these datasets; no line where neither is so."""
    caveats_of_suites = []
    for name, by_data in summary["figures"].items():
        dataset, by_metric = next(iter(by_data.items()))
        caveats = _caveats(by_metric[label])
        caveats_of_suites += [(label, f"{dataset} ({name})", Caveats(cut=caveats.cut)),
                  (label, dataset, Caveats(trained_on=caveats.trained_on))]  # fmt: skip
    return caveat_lines(caveats_of_suites)


def _suite_footnotes(summary: Summary, name: str) -> list[str]:
    """Footnotes that explain the marks in the titles of a suite's tables."""
    return caveat_lines([
        (label, dataset, _caveats(of_metric))
        for dataset, by_metric in summary["figures"][name].items()
        for label, of_metric in by_metric.items()
    ])  # fmt: skip


def _caveats(figures: Mapping[str, Any]) -> Caveats:
    return Caveats(cut=CutTally(**figures["cut"]), trained_on=tuple(figures["trained_on"]))


def _range(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "without bounds"
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"from {low} to {high}"


def _suite(summary: Summary, name: str) -> dict[str, Any]:
    plot, alt = _plot(summary, name)
    return {
        "title": load(name).title,
        "about": load(name).about,
        "plot": plot,
        "alt": alt,
        "tables": _tables(summary, name),
        "footnotes": _suite_footnotes(summary, name),
        "folded": _bigrams(summary) if name == gaming.NAME else [],
    }


def _bigrams(summary: Summary) -> list[dict[str, Any]]:
    """The mined bigrams of each dataset, or a title saying that there are none; `rows` may be
    empty."""
    return [
        {
            "title": f"The {len(bigrams)} bigrams mined on {dataset}, from "
                     f"{summary['mined_from'][dataset]} summaries" if bigrams else
                     f"No bigrams were mined on {dataset}: that takes four documents.",
            "header": ["", "bigram", "metrics", "sum of mean TF-IDF"],
            "rows": [[str(rank), bigram["text"], str(bigram["metrics"]),
                      f"{bigram['weight']:.3f}"]
                     for rank, bigram in enumerate(bigrams, start=1)],
        }
        for dataset, bigrams in summary["bigrams"].items()
    ]  # fmt: skip


def _plot(summary: Summary, name: str) -> tuple[str | None, str]:
    """The plot as a data URI, and its alternative text."""
    axis, rows = _plotted(summary, name)
    if not rows:
        return None, ""
    shown = [f"{label}, {kind}: {_cell(row)}" for label, kind, row in rows]
    with tempfile.TemporaryDirectory(prefix="faithkit-") as folder:
        path = Path(folder) / "plot.svg"
        _draw(path, summary, name)
        drawn = base64.b64encode(path.read_bytes()).decode()
    return f"data:image/svg+xml;base64,{drawn}", f"{axis}. " + "; ".join(shown)


def _draw(path: Path, summary: Summary, name: str) -> None:
    """Draws a panel for each metric and a line for each kind; writes nothing without figures."""
    axis, rows = _plotted(summary, name)
    if rows:
        suite = load(name)
        plots.estimates_plot(path, f"{suite.title}: {axis}", rows, dotted=suite.dotted)


def _plotted(summary: Summary, name: str) -> tuple[str, list[tuple[str, str, Mapping[str, Any]]]]:
    """The axis, and of each figure the metric, the kind and the figure."""
    statistics = load(name).plotted
    several = len(statistics) > 1
    axis = "mean difference" if several else statistics[0]
    pooled = next(iter(summary["figures"][name].values()))
    every = [(label, row) for label, of_metric in pooled.items() for row in of_metric["figures"]]
    # Of harmless edits, those that the rules judge: twice as many lines cannot be read.
    judged = edits.judged_member(row["kind"] for _, row in every)
    if name == edits.NAME:
        axis = f"{axis} (edits of {judged} summaries)"
    rows: list[tuple[str, str, Mapping[str, Any]]] = [
        (
            label,
            _edit(row["kind"]) + (f": {row['statistic']}" if several else ""),
            {**row, "statistic": axis},
        )
        for label, row in every
        if row["statistic"] in statistics and edits.member_of(row["kind"]) in ("", judged)
    ]
    return axis, rows


def _tables(summary: Summary, name: str) -> list[dict[str, Any]]:
    """Tables for each dataset and metric: kinds down, statistics across, and one for the kinds that
    have the same statistics (and, of harmless edits, the same member of a pair). Only the first has
    a title, with the marks that hold for all. Last, what became of rewritings."""
    tables: list[dict[str, Any]] = []
    for dataset, by_metric in summary["figures"][name].items():
        for label, of_metric in by_metric.items():
            title = f"{label} on {dataset} {marks(_caveats(of_metric))}".rstrip()
            by_kind: dict[str, dict[str, Mapping[str, Any]]] = {}
            for row in of_metric["figures"]:
                by_kind.setdefault(row["kind"], {})[row["statistic"]] = row
            like: dict[tuple[str, ...], dict[str, dict[str, Mapping[str, Any]]]] = {}
            for kind, rows in by_kind.items():
                like.setdefault((edits.member_of(kind), *rows), {})[kind] = rows
            for index, ((member, *statistics), kinds) in enumerate(like.items()):
                shown = [row for rows in kinds.values() for row in rows.values()]
                notes = [MEMBER_NOTES.get(member, ""), without_interval(shown)]
                tables.append({
                    "title": "" if index else title,
                    "note": " ".join(f"{note.rstrip('.')}." for note in notes if note),
                    "header": ["", *statistics, "n"],
                    "rows": [[_edit(kind), *map(_cell, rows.values()), _count(rows)]
                             for kind, rows in kinds.items()],
                })  # fmt: skip
    return tables + (_rewriting(summary) if name == edits.NAME else [])


def without_interval(rows: Sequence[Mapping[str, Any]]) -> str:
    """Why figures have no value or no interval, each reason once with the kinds it is about; ""
    where all have one, or are the same in all resamples."""
    kinds: dict[str, dict[str, None]] = {}
    for row in rows:
        if reason := lacking(row):
            kinds.setdefault(reason, {})[_edit(row["kind"])] = None
    reasons = [f"{', '.join(names)} ({reason})" for reason, names in kinds.items()]
    return f"No value or no interval: {'; '.join(reasons)}." if reasons else ""


def _edit(kind: str) -> str:
    """The kind without the member of a pair, which the table's note already names."""
    member = edits.member_of(kind)
    return kind.removesuffix(f", {member}") if member else kind


def edit_rows(summary: Summary, label: str) -> tuple[list[str], list[list[str]], str]:
    """Header and rows of one metric's mean changes over all datasets, the correction first: an
    edit's of inconsistent summaries beside its of consistent ones; and why some have no interval.
    No rows without the suite."""
    figures = summary["figures"].get(edits.NAME)
    shown = [
        row
        for row in (next(iter(figures.values()))[label]["figures"] if figures else ())
        if row["statistic"] == "mean change"
    ]
    changes = {row["kind"]: _cell(row) for row in shown}
    rows = [
        [edit, *(changes.get(edits.kind_of(edit, member), "–") for member in edits.MEMBERS)]
        for edit in dict.fromkeys(map(_edit, changes))
        if edit != edits.CORRECTION
    ]
    if edits.CORRECTION in changes:
        rows.insert(0, [edits.CORRECTION, changes[edits.CORRECTION], ""])
    header = ["mean change", *(f"of {member} summaries" for member in edits.MEMBERS)]
    return header, rows, without_interval(shown)


def _rewriting(summary: Summary) -> list[dict[str, Any]]:
    """A table for each dataset: how many rewritings by a chat model were discarded, and why. The
    first says who wrote and checked them."""
    rewriting = summary.get("rewriting")
    if not rewriting:
        return []
    note = (
        f"By {rewriting['rewriter']}, from templates {rewriting['prompt'][:12]}; checked by "
        f"{rewriting['checker']}: the rewriting must entail every sentence of the summary, and the "
        f"summary every one of the rewriting (but an irrelevant one copied from the source), each "
        f"with more than {rewriting['threshold']}. What is discarded is no case. A metric that "
        "rests on the checker's own model meets only rewritings that this model let pass."
    )
    tables: list[dict[str, Any]] = []
    for dataset, rows in rewriting["figures"].items():
        reasons = sorted({reason for row in rows for reason in row["reasons"]})
        tables.append({
            "title": f"Rewriting by a chat model on {dataset}",
            "note": " ".join(filter(None, ("" if tables else note, without_interval(rows)))),
            "header": ["", "discard rate", "asked", "kept", *reasons],
            "rows": [[row["kind"], _cell(row), str(row["asked"]), str(row["kept"]),
                      *(str(row["reasons"].get(reason, 0)) for reason in reasons)]
                     for row in rows],
        })  # fmt: skip
    return tables


def _count(rows: Mapping[str, Mapping[str, Any]]) -> str:
    return str(max(int(row.get("n") or 0) for row in rows.values()))


def _cell(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return "–"
    return interval(row, sign=row["statistic"].endswith(SIGNED))


def _worst(summary: Summary) -> list[dict[str, Any]]:
    """The worst cases of the rules that a metric fails."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for label, cases in summary["worst"].items():
        failed = {(finding["suite"], finding["rule"]) for finding in summary["findings"][label]
                  if finding["verdict"] == FAILS}  # fmt: skip
        for case in cases:
            if (case["suite"], case["rule"]) in failed:
                groups.setdefault((label, case["rule"]), []).append(_case(case))
    return [{"label": label, "rule": rule, "cases": cases}
            for (label, rule), cases in groups.items()]  # fmt: skip


def _case(case: Mapping[str, Any]) -> dict[str, Any]:
    texts, last = [], None
    for name, text in case["texts"].items():
        source = text["source"]
        cut = source if len(source) <= SHOWN_SOURCE else source[:SHOWN_SOURCE] + " …"
        value = text["value"]
        texts.append({
            "name": name, "summary": text["summary"], "source": None if source == last else cut,
            "value": "no value" if value is None else number(value, sign=False),
        })  # fmt: skip
        last = source
    return {"kind": case["kind"], "note": case["note"], "id": case["id"], "texts": texts}


def _rules(summary: Summary) -> list[list[str]]:
    """A row for each rule: its suite, the behaviour of a good metric, and when it passes."""
    return [[name, rule.name, rule.passes]
            for name in summary["figures"] for rule in load(name).rules]  # fmt: skip
