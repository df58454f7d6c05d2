"""openie, srl and dae by hand; truecasing; coreference; the CoreNLP server; the role labeller."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example as with_example
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import tiny_models
from tests.helpers.load_metric import load_metric

from faithkit import ConfigError, Example, ModelError, Outcome, models
from faithkit.language.case import truecased, with_case
from faithkit.language.coreference import antecedents
from faithkit.language.parse import parse
from faithkit.language.words import words
from faithkit.metrics.arcs import Dae, arcs
from faithkit.metrics.facts import Ner, NerOverlap
from faithkit.metrics.openie import OpenIe, match_rates
from faithkit.metrics.options import options_of
from faithkit.metrics.spec import MetricSpec
from faithkit.metrics.srl import Srl
from faithkit.models.corenlp import CoreNlp, read_answer
from faithkit.models.labelling import load_labeller, phrases_of
from faithkit.models.protocols import Decision, Fact, Labelled, SentenceVerdict, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import Coverage

pytestmark = pytest.mark.slow

SOURCE = "Acme bought Globex in 2019. The council approved the plan."


def marked(text: str, spans: Sequence[Any]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


# openie


def test_openie_by_hand() -> None:
    # Source: Acme bought Globex; Acme bought in 2019; The council approved the plan.
    # Summary: Acme bought Globex (1); Acme bought in 2018: 3 of 4 words each (.75).
    summary = "Acme bought Globex in 2018."
    (score,) = OpenIe().score([Example("x", SOURCE, summary)])
    assert score.value == pytest.approx((1 + 0.75) / 2)
    # Recall: 1 and .75; of the third triple "The council approved the plan" no word.
    assert score.parts["recall"] == pytest.approx((1 + 0.75 + 0) / 3)
    # "bought in 2018" has its subject and relation in the source, with another object.
    counts = {key: score.parts[key] for key in ("hits", "wrong", "missed", "rmr1", "rmr2")}
    assert counts == {"hits": 1, "wrong": 1, "missed": 0, "rmr1": 0.5, "rmr2": 0.5}
    assert (score.parts["summary_triples"], score.parts["source_triples"]) == (2, 3)


def test_openie_links_and_marks_triples() -> None:
    summary = "Acme bought Globex. Floods hit Spain."
    (score,) = OpenIe().score([Example("x", SOURCE, summary)])
    assert score.value == pytest.approx(0.5)
    assert marked(summary, score.spans) == ["Floods hit Spain"]
    first = score.evidence[0]
    assert SOURCE[first.start : first.end] == "Acme bought Globex"
    assert summary[first.summary_start : first.summary_end] == "Acme bought Globex"
    assert first.score == 1.0


def test_openie_matches_a_passive_with_its_active() -> None:
    (score,) = OpenIe().score([Example("x", SOURCE, "The plan was approved by the council.")])
    assert score.value == pytest.approx(1.0)
    assert score.parts["rmr1"] == 1.0


def test_openie_does_not_take_a_denial_for_a_hit() -> None:
    (score,) = OpenIe().score([Example("x", SOURCE, "The council did not approve the plan.")])
    assert score.parts["hits"] == 0


@pytest.mark.parametrize(
    ("source", "summary", "outcome"),
    [
        (SOURCE, "A plan for Globex.", Outcome.NO_CLAIMS),
        ("A plan for Globex.", "Acme bought Globex.", Outcome.NO_CONTENT),
    ],
)
@pytest.mark.parametrize("metric", [OpenIe, Srl])
def test_degenerate_cases_are_outcomes_with_an_optional_default(
    metric: Any, source: str, summary: str, outcome: Outcome
) -> None:
    (plain,) = metric(similarity="f1").score([Example("x", source, summary)])
    (filled,) = metric(similarity="f1", default=0.25).score([Example("x", source, summary)])
    assert (plain.value, plain.outcome) == (None, outcome)
    assert (filled.value, filled.outcome) == (0.25, outcome)


def test_relation_matching_rates_by_hand() -> None:
    source = [("a", "buy", "b"), ("c", "sell", "d")]
    summary = [
        ("a", "buy", "b"),  # hit
        ("a", "buy", "x"),  # another object: wrong
        ("x", "sell", "d"),  # another subject: wrong
        ("a", "sell", "b"),  # neither pair is there: missed
    ]
    assert match_rates(summary, source) == (1, 2, 1)
    assert match_rates([], source) == (0, 0, 0)


def test_openie_is_made_from_a_request_and_reads_a_batch_as_it_reads_one() -> None:
    metric, signature, _ = load_metric("openie:similarity=exact,measure=recall", _fail)
    assert signature.models == {}
    assert (signature.options["similarity"], signature.options["threshold"]) == ("exact", 1.0)
    one = Example("x", SOURCE, "Acme bought Globex in 2018.")
    other = Example("y", "It rained.", "It rained in Leeds.")
    together = [score.value for score in metric.score([other, one])]
    assert together == [metric.score([other])[0].value, metric.score([one])[0].value]


def _fail(spec: str) -> Any:
    raise AssertionError(f"{spec} is not needed")


# srl


def test_srl_aligns_within_a_role_and_means_over_roles() -> None:
    source = "Anna met Ben in Leeds."
    # who: Ben against Anna, 0; what: Anna against Ben, 0; where: "in Leeds", 1.
    example = Example("x", source, "Ben met Anna in Leeds.")
    (apart,) = Srl(similarity="f1").score([example])
    assert apart.value == pytest.approx(1 / 3)
    assert [apart.parts[role] for role in ("who", "what", "where")] == [0, 0, 1]
    (together,) = Srl(similarity="f1", roles=False).score([example])
    assert together.value == pytest.approx(1.0)
    assert marked(example.summary, apart.spans) == ["Ben", "Anna"]
    assert marked(example.summary, together.spans) == []


def test_srl_a_role_the_source_lacks_counts_0() -> None:
    (score,) = Srl(similarity="f1").score([Example("x", "Anna met Ben.", "Anna met Ben today.")])
    assert score.value == pytest.approx(2 / 3)
    assert score.parts["when"] == 0
    assert score.parts["recall"] == pytest.approx(1.0)


def test_srl_skips_a_role_the_source_lacks_with_the_option() -> None:
    example = Example("x", "Anna met Ben.", "Anna met Ben today.")
    (score,) = Srl(similarity="f1", absent="skip").score([example])
    assert score.value == pytest.approx(1.0)


def test_srl_keeps_verbs_negations_and_adverbials_with_the_option() -> None:
    source, summary = "Anna met Ben.", "However, Anna did not see Ben."
    (arguments,) = Srl(similarity="f1").score([Example("x", source, summary)])
    (every,) = Srl(similarity="f1", phrases="all").score([Example("x", source, summary)])
    assert arguments.value == pytest.approx(1.0)
    # who 1, what 1; verb "see" 0 against "met"; negation and how have nothing in the source.
    assert every.value == pytest.approx(2 / 5)
    assert [every.parts[role] for role in ("who", "what", "verb", "negation", "how")] == [
        1, 1, 0, 0, 0,
    ]  # fmt: skip


def test_srl_keeps_a_verb_without_a_phrase() -> None:
    (score,) = Srl(similarity="f1", phrases="all").score([Example("x", "Leave!", "Leave!")])
    assert (score.value, score.parts["verb"]) == (1.0, 1.0)


def test_srl_with_a_labeller_keeps_its_verbs() -> None:
    (score,) = Srl(extractor=Labeller(), similarity="f1", phrases="all").score(
        [Example("x", "Anna left. Anna met Ben today.", "Anna left Ben yesterday.")]
    )
    assert (score.parts["who"], score.parts["verb"], score.parts["when"]) == (1.0, 1.0, 0.0)


def test_facts_normalise() -> None:
    example = Example("x", "Anna met the U.S. envoy.", "Anna met a US envoy.")
    for metric, plain in ((OpenIe, 2 * 3 / 10), (Srl, (1 + 2 / 6) / 2)):
        none, squad = (
            metric(similarity="f1", normalise=how).score([example])[0] for how in ("none", "squad")
        )
        assert (none.value, squad.value) == pytest.approx((plain, 1.0))


# relation matching rates as the value


def test_openie_gives_the_relation_matching_rates_as_its_value() -> None:
    summary = "Acme bought Globex in 2018. Floods hit Spain."
    rmr1, rmr2 = (
        OpenIe(measure=measure).score([Example("x", SOURCE, summary)])[0]
        for measure in ("rmr1", "rmr2")
    )
    spec = MetricSpec.parse("openie:measure=rmr1")
    assert options_of(spec, OpenIe).typed == {"measure": "rmr1"}
    # One hit, one wrong, one missed.
    assert (rmr1.value, rmr2.value) == pytest.approx((1 / 2, 1 / 3))


def test_openie_without_a_hit_or_a_contradiction_has_no_rmr1() -> None:
    example = Example("x", SOURCE, "Floods hit Spain.")
    (none,) = OpenIe(measure="rmr1").score([example])
    (filled,) = OpenIe(measure="rmr1", default=0.0).score([example])
    (rmr2,) = OpenIe(measure="rmr2").score([example])
    assert (none.value, none.outcome) == (None, Outcome.NO_CONTENT)
    assert (filled.value, filled.outcome) == (0.0, Outcome.NO_CONTENT)
    assert (rmr2.value, rmr2.outcome) == (0.0, Outcome.OK)


class Labeller:
    """Satisfies `RoleLabeller`: the first word is ARG0, the last the time."""

    id = "labeller@0"

    def __init__(self, outcome: Outcome = Outcome.OK) -> None:
        self.outcome = outcome

    def label(self, requests: Sequence[tuple[str, int, int]]) -> list[Labelled]:
        found = []
        for sentence, start, end in requests:
            assert sentence[start:end] in ("met", "left")
            parts = words(sentence.rstrip("."))
            phrases = (
                (parts[0].start, parts[0].end, "ARG0"),
                (start, end, "V"),
                (parts[-1].start, parts[-1].end, "ARGM-TMP"),
            )
            ok = self.outcome is Outcome.OK
            found.append(Labelled(self.outcome, phrases if ok else ()))
        return found


def test_srl_with_a_labeller_uses_its_phrases_at_their_place() -> None:
    source, summary = "Anna left. Anna met Ben today.", "Anna left Ben yesterday."
    (score,) = Srl(extractor=Labeller(), similarity="f1").score([Example("x", source, summary)])
    assert (score.parts["who"], score.parts["when"]) == (1.0, 0.0)
    assert marked(summary, score.spans) == ["yesterday"]
    assert {source[item.start : item.end] for item in score.evidence} == {"Anna", "left"}


@pytest.mark.parametrize("outcome", [Outcome.MODEL_ERROR, Outcome.TRUNCATED_SUMMARY])
def test_srl_with_a_labeller_that_fails_is_an_outcome(outcome: Outcome) -> None:
    metric = Srl(extractor=Labeller(outcome), similarity="f1")
    (score,) = metric.score([Example("x", "Anna met Ben.", "Anna left Ben.")])
    assert (score.value, score.outcome) == (None, outcome)


# dae


class Doubter:
    """Satisfies `SupportModel`: doubts these words; the second sentence claims nothing."""

    id = "doubter@0"
    decision = Decision(0.4, 0.6)
    marked = 0.5

    def __init__(self, **doubts: float) -> None:
        self.doubts = doubts

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [self._verdict(summary) for _, summary in pairs]

    def _verdict(self, summary: str) -> Verdict:
        sentences = []
        for number, part in enumerate(summary.split(". ")):
            shift = summary.index(part)
            own = [word for word in words(part) if word.text.isalnum()]
            sentences.append(
                SentenceVerdict(
                    start=shift,
                    end=shift + len(part),
                    has_claim=number == 0,
                    probabilities=(1.0, 0.0, 0.0),
                    supported=1.0,
                    words=np.array([(shift + w.start, shift + w.end) for w in own]),
                    unsupported=np.array([self.doubts.get(w.text, 0.0) for w in own]),
                    evidence=(),
                )
            )
        return Verdict(tuple(sentences), Coverage(source_sentences=1))


def test_arcs_pass_over_function_words() -> None:
    (tokens,) = parse(["Police arrested two men on Monday."])
    shown = [(tokens[child].text, tokens[head].text) for child, head in arcs(tokens)]
    assert shown == [
        ("Police", "arrested"),
        ("two", "men"),
        ("men", "arrested"),
        ("Monday", "arrested"),
    ]


def test_dae_by_hand() -> None:
    summary = "Police arrested two men on Monday. Dogs bark."
    metric = Dae(Doubter(two=0.6, men=0.1, Monday=0.9, Dogs=1.0))
    (score,) = metric.score([Example("x", SOURCE, summary)])
    # Police–arrested 1, two–men .4, men–arrested .9, Monday–arrested .1.
    assert score.value == pytest.approx((1 + 0.4 + 0.9 + 0.1) / 4)
    assert score.parts == pytest.approx({"arcs": 4, "worst_arc": 0.1, "unsupported_arcs": 2})
    assert marked(summary, score.spans) == ["arrested", "two", "men", "Monday"]
    assert [span.score for span in score.spans] == pytest.approx([0.1, 0.4, 0.4, 0.1])


def test_dae_without_an_arc_is_no_claims() -> None:
    (plain,) = Dae(Doubter()).score([Example("x", SOURCE, "Leeds")])
    (filled,) = Dae(Doubter(), default=1.0).score([Example("x", SOURCE, "Leeds")])
    assert (plain.value, plain.outcome) == (None, Outcome.NO_CLAIMS)
    assert (filled.value, filled.outcome) == (1.0, Outcome.NO_CLAIMS)


# truecasing

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
cased_text = st.text(st.sampled_from("aAbBßẞİiıIΣσςǅŉ é.!?'’-\n"), max_size=60)


@given(any_text | cased_text, any_text | cased_text)
@with_example("ß ŉ İ", "SS ʼN i̇")
def test_truecasing_keeps_the_length_and_every_letter_but_for_its_case(
    text: str, reference: str
) -> None:
    found = truecased(text, reference)
    assert len(found) == len(text)
    assert found.casefold() == text.casefold()
    assert [(w.start, w.end) for w in words(found)] == [(w.start, w.end) for w in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anna reyes spoke.", "Anna Reyes spoke."),
        ("she met reyes. the mayor left", "She met Reyes. The mayor left"),
        ('"nasa" pays', '"NASA" pays'),
        ("unknown names stay: zoe", "Unknown names stay: zoe"),
    ],
)
def test_truecasing_takes_the_source_s_usual_case(text: str, expected: str) -> None:
    # "Will" and "The" are capitals at sentence starts only; "may" is a verb twice, "May" once.
    source = (
        "Will the mayor, Anna Reyes, go? The paper asked Reyes, and NASA, in May. We may, may we?"
    )
    assert truecased(text, source) == expected
    assert truecased("he may", source) == "He may"


def test_truecasing_is_for_summaries_without_a_capital() -> None:
    source = "We met Anna in Paris."
    assert with_case("anna left", source, "auto") == "Anna left"
    assert with_case("anna left Paris", source, "auto") == "anna left Paris"
    assert with_case("anna left Paris", source, "on") == "Anna left Paris"
    assert with_case("anna left", source, "off") == "anna left"
    assert with_case("2019", source, "auto") == "2019"


def test_ner_finds_the_names_of_a_summary_in_lower_case() -> None:
    source = "In June we met Maria Silva in Lisbon. Then Maria Silva flew to Berlin."
    example = Example("x", source, "maria silva flew from lisbon to berlin")
    (score,) = Ner(similarity="exact").score([example])
    assert (score.value, score.parts["summary_entities"]) == (1.0, 3)
    (off,) = Ner(similarity="exact", truecase="off").score([example])
    assert off.parts["summary_entities"] < 3
    (overlap,) = NerOverlap().score([example])
    assert (overlap.value, overlap.parts["summary_entities"]) == (1.0, 3)


# coreference


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """A spaCy pipeline on disk whose component puts "Anna" and what stands for her in a cluster."""
    import spacy
    from spacy.language import Language

    @Language.component("tiny_coref")
    def tiny_coref(document: Any) -> Any:
        own = [t for t in document if t.text in ("She", "her", "Anna")]
        document.spans["coref_clusters_1"] = [document[t.i : t.i + 1] for t in own]
        return document

    model = spacy.blank("en")
    model.add_pipe("tiny_coref")
    model.to_disk(tmp_path / "coref")
    spacy.blank("en").to_disk(tmp_path / "none")
    return tmp_path


def test_pronouns_stand_for_the_name_in_their_cluster(pipeline: Path) -> None:
    text = "Anna left. She sold her house. They stayed."
    assert antecedents([text, "She."], str(pipeline / "coref")) == [
        {11: (14, "Anna"), 20: (23, "Anna")},
        {},
    ]


def test_openie_with_coreference(pipeline: Path) -> None:
    example = Example("x", "Anna came. She sold her house.", "Anna sold Anna's house.")
    (plain,) = OpenIe(similarity="exact").score([example])
    metric = OpenIe(similarity="exact", coreference=str(pipeline / "coref"))
    (resolved,) = metric.score([example])
    assert (plain.value, resolved.value) == (0.0, 1.0)
    assert metric.resolved["coreference"] == "en_pipeline-0.0.0"


@pytest.mark.parametrize(
    ("name", "said"), [("no_such_pipeline", "installed"), ("none", "no coreference")]
)
def test_a_pipeline_that_is_missing_or_does_something_else_is_a_config_error(
    pipeline: Path, name: str, said: str
) -> None:
    path = pipeline / name
    with pytest.raises(ConfigError, match=said):
        OpenIe(coreference=str(path) if path.exists() else name)


# CoreNLP

STATED = {
    "Acme bought Globex.": [("Acme", "bought", "Globex", (0, 1), (1, 2), (2, 3))],
    "🎉 Globex was bought.": [("Globex", "was", "bought", (1, 2), (2, 3), (3, 4))],
    "Hello.": [],
}


def answer_to(text: str, codepoints: bool = True) -> dict[str, Any]:
    """An answer in the layout of CoreNLP's openie annotator with outputFormat=json, made here."""
    tokens = []
    for index, word in enumerate(words(text), start=1):
        before = len(text[: word.start].encode("utf-16-le")) // 2
        token = {
            "index": index,
            "word": word.text,
            "originalText": word.text,
            "lemma": word.text.lower(),
            "characterOffsetBegin": before,
            "characterOffsetEnd": before + len(word.text.encode("utf-16-le")) // 2,
            "pos": "NNP",
            "before": "",
            "after": " ",
        }
        if codepoints:
            token |= {"codepointOffsetBegin": word.start, "codepointOffsetEnd": word.end}
        tokens.append(token)
    facts = [
        {
            "subject": subject,
            "subjectSpan": list(first),
            "relation": relation,
            "relationSpan": list(second),
            "object": thing,
            "objectSpan": list(third),
        }
        for subject, relation, thing, first, second, third in STATED[text]
    ]
    return {"sentences": [{"index": 0, "openie": facts, "tokens": tokens}]}


@contextmanager
def server(reply: Callable[[BaseHTTPRequestHandler, str], None]) -> Iterator[str]:
    """A server on this machine whose every answer `reply` writes; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            reply(self, body)

        def log_message(self, *_: Any) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def answering(handler: BaseHTTPRequestHandler, text: str) -> None:
    assert "openie" in handler.path
    send(handler, json.dumps(answer_to(text)).encode())


def test_corenlp_s_facts_with_their_places() -> None:
    with server(answering) as url:
        found = CoreNlp(url).extract(["Acme bought Globex.", "Hello.", "🎉 Globex was bought."])
    assert [one.outcome for one in found] == [Outcome.OK] * 3
    assert found[0].facts == (Fact("Acme", "bought", "Globex", ((0, 4), (5, 11), (12, 18))),)
    assert found[1].facts == ()
    assert found[2].facts[0].pieces == ((2, 8), (9, 12), (13, 19))


def test_utf16_offsets_of_older_servers_are_counted_again() -> None:
    text = "🎉 Globex was bought."
    (fact,) = read_answer(answer_to(text, codepoints=False), text)
    assert [text[start:end] for start, end in fact.pieces] == ["Globex", "was", "bought"]


def test_openie_with_an_extractor_by_url() -> None:
    load = models.load
    with server(answering) as url:
        metric, signature, _ = load_metric(f"openie:extractor={url}/", load)
        example = Example("x", "Acme bought Globex.", "Acme bought Globex.")
        (score,) = metric.score([example])
    assert signature.models == {"extractor": url}
    assert (score.value, score.parts["rmr1"]) == (1.0, 1.0)
    assert (score.evidence[0].start, score.evidence[0].end) == (0, 18)


def broken(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b"java.lang.OutOfMemoryError", status=500)


def not_json(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b"<html>hello</html>")


def other_layout(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b'{"sentences": [{"tokens": []}]}')


def redirecting(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:1/elsewhere")
    handler.end_headers()


def too_large(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b" " * 200_000)


def closing(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.close_connection = True


def hanging(handler: BaseHTTPRequestHandler, text: str) -> None:
    time.sleep(2)


def dripping(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(20):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (broken, Outcome.MODEL_ERROR),
        (not_json, Outcome.MODEL_ERROR),
        (other_layout, Outcome.MODEL_ERROR),
        (redirecting, Outcome.MODEL_ERROR),
        (too_large, Outcome.MODEL_ERROR),
        (closing, Outcome.MODEL_ERROR),
        (hanging, Outcome.TIMEOUT),
        (dripping, Outcome.TIMEOUT),
    ],
)
def test_a_faulty_server_is_an_outcome(reply: Any, outcome: Outcome) -> None:
    with server(reply) as url:
        metric = OpenIe(extractor=CoreNlp(url, seconds=0.5, most=100_000))
        began = time.monotonic()
        (score,) = metric.score([Example("x", "Acme bought Globex.", "Hello.")])
    assert (score.value, score.outcome) == (None, outcome)
    assert time.monotonic() - began < 10


def test_no_server_at_all_is_an_error_that_says_so() -> None:
    with server(answering) as url:
        pass
    with pytest.raises(ModelError, match="No server answers"):
        CoreNlp(url).extract(["Hello."])


@pytest.mark.parametrize("url", ["corenlp", "file:///etc/passwd", "http://me:secret@host:9000"])
def test_an_extractor_that_is_no_plain_url_is_a_config_error(url: str) -> None:
    with pytest.raises(ConfigError) as error:
        models.load(f"openie:{url}")
    assert "secret" not in str(error.value)


def test_offline_asks_no_other_machine() -> None:
    with pytest.raises(ModelError, match="offline"):
        models.load("openie:http://example.org:9000", Runtime(offline=True))
    assert (
        models.load("openie:http://localhost:9000", Runtime(offline=True)).id
        == "http://localhost:9000"
    )


def test_an_extractor_and_coreference_exclude_each_other(pipeline: Path) -> None:
    with pytest.raises(ConfigError, match="coreference"):
        load_metric(
            f"openie:extractor=http://localhost:9,coreference={pipeline / 'coref'}", models.load
        )


# role labeller

LABELS = ("O", "B-ARG0", "I-ARG0", "B-ARG1", "I-ARG1", "B-V", "B-ARGM-TMP")


def save_labeller(folder: Path, labels: Sequence[str] = LABELS, broken: bool = False) -> Path:
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=64, pad_token_id=0,
        id2label=dict(enumerate(labels)), label2id={name: i for i, name in enumerate(labels)},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(torch.nan if broken else 8 if weights.ndim > 1 else 1)
    model.save_pretrained(folder)
    tiny_models.pair_tokenizer(types=True).save_pretrained(folder)
    return folder


SENTENCES = ["the mayor of paris said on monday", "critics in lyon called the plan too costly"]
REQUESTS = [(SENTENCES[0], 19, 23), (SENTENCES[1], 16, 22), (SENTENCES[0], 0, 3)]


def test_the_labeller_gives_what_the_model_says_of_a_sentence_and_its_verb(tmp_path: Path) -> None:
    from transformers import BertForTokenClassification

    save_labeller(tmp_path)
    labeller = models.load(f"srl:{tmp_path}", Runtime("cpu"))
    assert labeller.id.startswith(f"{tmp_path.name}@")
    found = labeller.label(REQUESTS)
    assert labeller.label(REQUESTS[::-1]) == found[::-1]
    assert labeller.label(REQUESTS[:1]) == found[:1]
    model = BertForTokenClassification.from_pretrained(tmp_path).eval()
    tokenizer = tiny_models.pair_tokenizer(types=True)
    for (sentence, start, end), labelled in zip(REQUESTS, found, strict=True):
        encoded = tokenizer(sentence, sentence[start:end], return_tensors="pt")
        best = model(**encoded).logits[0].argmax(dim=1).tolist()
        assert labelled.outcome is Outcome.OK
        first = next(i for i, side in enumerate(encoded.sequence_ids()) if side == 0)
        begins = LABELS[best[first]] != "O"
        assert (bool(labelled.phrases) and labelled.phrases[0][0] == 0) == begins
        for start, end, name in labelled.phrases:
            assert sentence[start:end].strip() == sentence[start:end]
            assert f"B-{name}" in LABELS


def test_srl_with_a_token_classifier_by_name(tmp_path: Path) -> None:
    save_labeller(tmp_path)
    text = "The mayor of paris said so."
    metric, signature, _ = load_metric(
        f"srl:extractor={tmp_path},similarity=f1", lambda s: models.load(s, Runtime("cpu"))
    )
    assert list(signature.models) == ["extractor"]
    (score,) = metric.score([Example("x", text, text)])
    assert score.outcome in (Outcome.OK, Outcome.NO_CLAIMS)
    assert score.value in (1.0, None)


def test_the_labeller_says_what_does_not_fit_and_what_is_broken(tmp_path: Path) -> None:
    long = "said " * 100
    ok = load_labeller(save_labeller(tmp_path / "a"), "a", device="cpu", dtype=None)
    assert [one.outcome for one in ok.label([(long, 0, 4), REQUESTS[0]])] == [
        Outcome.TRUNCATED_SUMMARY,
        Outcome.OK,
    ]
    bad = load_labeller(save_labeller(tmp_path / "b", broken=True), "b", device="cpu", dtype=None)
    assert bad.label(REQUESTS[:1])[0].outcome is Outcome.MODEL_ERROR
    other = load_labeller(
        save_labeller(tmp_path / "c", ["O", "B-PER", "I-PER"]), "c", device="cpu", dtype=None
    )
    with pytest.raises(ModelError, match="PropBank"):
        other.label(REQUESTS[:1])


def test_bio_labels_become_phrases() -> None:
    sentence = "Anna Reyes met Ben, today"
    places = [(0, 4), (5, 8), (8, 10), (11, 14), (15, 18), (18, 19), (20, 25)]
    labels = ["B-ARG0", "I-ARG0", "O", "B-V", "I-ARG1", "O", "B-ARGM-TMP"]
    # The second piece of "Reyes" goes with its first; "Ben" begins a run though it says I-.
    assert phrases_of(sentence, labels, places) == (
        (0, 10, "ARG0"),
        (11, 14, "V"),
        (15, 18, "ARG1"),
        (20, 25, "ARGM-TMP"),
    )
