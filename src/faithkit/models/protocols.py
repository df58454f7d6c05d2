"""What a metric may ask of a model, as protocols. Importing this loads no model library.

A metric names the protocol it needs in its constructor, so it runs on a fake in a test, on an
embedded model or on a published checkpoint. Loading is `faithkit.models.load`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from faithkit.records import Coverage, Evidence, Outcome

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ENGLISH = "en"
"""What a model that knows English only has as its attribute `language`. A model without that
attribute says nothing of the languages it knows."""


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Contextual token vectors of one text.

    vectors  [tokens, width], unit length
    offsets  [tokens, 2], character offsets into the text; special tokens have start == end
    ids      [tokens], the tokenizer's ids
    cut      tokens of the text that did not fit the model's context and were left out
    """

    vectors: Floats
    offsets: Ints
    ids: Ints
    cut: int = 0


@runtime_checkable
class TokenEncoder(Protocol):
    """A bidirectional encoder seen token by token, at any of its layers (0 = embeddings)."""

    @property
    def id(self) -> str:
        """See `identity.model_id`; for the signature."""
        ...

    @property
    def layers(self) -> int: ...

    @property
    def default_layer(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Tokens of text that fit beside the special tokens."""
        ...

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        """States of each text, in order. A text over `max_tokens` is cut and says so in `cut`;
        with `windows=True` it is encoded in consecutive windows instead and nothing is cut."""
        ...

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokenizer's ids of each text, without special tokens."""
        ...


@runtime_checkable
class SentenceEmbedder(Protocol):
    """Texts to unit vectors whose dot product is their cosine similarity."""

    @property
    def id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """[texts, width], each row of unit length."""
        ...


@runtime_checkable
class Trained(Protocol):
    """A model that says what it was trained on; any of those here may. A benchmark marks its
    figures on these data."""

    @property
    def trained_on(self) -> frozenset[str]:
        """Names of files and datasets; empty where nothing is known."""
        ...


Vector = Literal["source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"]
"""Whose tokens are forced and what stands before them: `_lm` nothing, `_s2s` the other text,
`_pref` the summary itself and then the source [FFLM §3]."""


Join = Literal["ids", "condition", "text"]
"""How source, separator and summary become the ids of one sequence.

ids        each is tokenised by itself and their ids are concatenated
condition  the same, but where the summary stands before the source, the two with a space between
           them are tokenised as one text: the scripts released with [FFLM], and those of CoP
text       the whole sequence is tokenised as one text; a token that has a character of the forced
           text belongs to it, and its ids after the separator are also forced without it. In an
           encoder-decoder the forced text is a sequence of its own, so this is `condition`
"""


@dataclass(frozen=True, slots=True)
class Forcing:
    """How the sequences of teacher forcing are made.

    special_tokens  the tokens that the tokenizer puts around a text (BART's <s> and </s>) are
                    forced and counted with it, as in the released BARTScore; for encoder-decoder
                    models only
    """

    join: Join = "ids"
    special_tokens: bool = False


PLAIN = Forcing()


@dataclass(frozen=True, slots=True)
class Forced:
    """One (source, summary) pair under teacher forcing.

    outcome          ok; no_content, truncated_summary or model_error where there are no vectors
    vectors          natural-log probabilities: `source_*` [source_tokens], `summary_*`
                     [summary_tokens], and of the special tokens where these are forced; float32,
                     not to be written to
    summary_offsets  one row [start, end] for each of a `summary_*` vector's tokens, 0 and 0 for
                     special ones; [0, 2] where the tokenizer has none
    source_tokens    tokens of the source that were seen
    source_cut       tokens of the source that did not fit, cut from its end
    summary_tokens   tokens of the summary; it is never cut
    """

    outcome: Outcome
    vectors: Mapping[Vector, Floats]
    summary_offsets: Ints
    source_tokens: int
    source_cut: int
    summary_tokens: int


@runtime_checkable
class LanguageModel(Protocol):
    """A causal or an encoder-decoder model that gives each token of a text its log-probability."""

    @property
    def id(self) -> str: ...

    @property
    def context(self) -> int:
        """Tokens of the longest sequence it takes, special ones included."""
        ...

    @property
    def mask(self) -> str:
        """What stands for words hidden from it: the tokenizer's mask token, else "_"."""
        ...

    def expect(self, wanted: frozenset[Vector], forcing: Forcing = PLAIN) -> None:
        """Says early what will be asked for, so that a pass made for one metric also keeps what
        another will want. Changes the cost, never a value. Raises ConfigError where the model
        cannot do this forcing."""
        ...

    def log_probs(
        self,
        pairs: Sequence[tuple[str, str]],
        wanted: frozenset[Vector],
        *,
        context: int | None = None,
        forcing: Forcing = PLAIN,
    ) -> list[Forced]:
        """Every vector of `wanted` for each (source, summary), in order. `context` lowers the
        model's own limit. Raises ConfigError where it is above that limit, or where the model
        cannot do this forcing."""
        ...


@dataclass(frozen=True, slots=True)
class Entailed:
    """Whether one premise entails one hypothesis.

    outcome            ok; truncated_summary where the hypothesis alone does not fit beside the
                       special tokens; model_error on NaN; no_claims where the hypothesis has
                       nothing that can be judged
    probabilities      entailment, neutral, contradiction; they sum to 1; zeros unless ok
    premise_tokens     tokens of the premise that were seen
    premise_cut        tokens of the premise that did not fit, cut from its end
    hypothesis_tokens  tokens of the hypothesis; it is never cut
    """

    outcome: Outcome
    probabilities: tuple[float, float, float]
    premise_tokens: int
    premise_cut: int
    hypothesis_tokens: int


@runtime_checkable
class EntailmentModel(Protocol):
    """Natural language inference over (premise, hypothesis) pairs."""

    @property
    def id(self) -> str: ...

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """One for each pair, in order. The same pair gives the same numbers in any batch."""
        ...


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What a source says of one sentence of a summary.

    start, end     characters of the sentence in the summary
    has_claim      False for talk that states nothing the source could support
    probabilities  entailment, neutral, contradiction as the network has them; they sum to 1
    supported      calibrated probability that the source supports the sentence
    words          [words, 2] character offsets into the summary, in its order, punctuation left
                   out; the words are those of its reading (`reading.read`): "£5m" are three, and
                   "It is not true that he did not go" two
    unsupported    [words] calibrated probability that the source does not support the word
    evidence       the source sentences it was judged against, best first
    content        [words] False for function words such as "the", "by" and "was"
    nearest        [words, 2] characters of the evidence sentence that has most of each word and
                   those around it; empty without evidence
    """

    start: int
    end: int
    has_claim: bool
    probabilities: tuple[float, float, float]
    supported: float
    words: Ints
    unsupported: Floats
    evidence: tuple[Evidence, ...]
    content: Bools = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    nearest: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A summary judged sentence by sentence; `coverage` says what was read."""

    sentences: tuple[SentenceVerdict, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Decision:
    """From a value of `support`, the probability that every sentence is supported, to a verdict.

    lower, upper  a value below `lower` is inconsistent, from `upper` up consistent; fitted on kinds
                  of text that the model was not trained on
    """

    lower: float
    upper: float

    def verdict(self, value: float) -> float:
        """1 consistent, 0 not, 0.5 undecided."""
        return 1.0 if value >= self.upper else 0.0 if value < self.lower else 0.5


@runtime_checkable
class SupportModel(Protocol):
    """A trained verdict for every word and every sentence of a summary."""

    @property
    def id(self) -> str: ...

    @property
    def decision(self) -> Decision:
        """What a value of the metric `support` over these verdicts means."""
        ...

    @property
    def marked(self) -> float:
        """The probability of being unsupported from which a word is worth showing."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One verdict for each (source, summary), in order, the same in any batch. A source
        without a sentence leaves nothing supported; a summary without one has no sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote about one (source, claim).

    outcome        ok; truncated_summary where the claim does not fit beside the prompt, or is
                   longer than what the model may write, so that it could not be written out
                   again; model_error on NaN
    text           what it wrote, possibly nothing; "" unless ok
    source_tokens  tokens of the source that were seen
    source_cut     tokens of the source that did not fit, cut from its end
    claim_tokens   tokens of the claim; it is never cut
    """

    outcome: Outcome
    text: str
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class Generator(Protocol):
    """Writes a text about a source and a claim, always the same one: nothing is sampled."""

    @property
    def id(self) -> str: ...

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """One for each (source, claim), in order, the same in any batch."""
        ...


GAP = "____"
"""Stands for the answer in a question's cloze form."""

AnswerKind = Literal["who", "when", "where", "how many", "what", ""]
"""The sort of answer that a question asks for; "" where it is not known."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a text, made for one answer in it.

    text         as it is asked; where no question could be made well, the cloze form itself
    probability  in 0..1, how sure its generator is of it; to be compared with those of the same
                 generator only
    cloze        the statement that it asks about, with GAP for the answer; "" where the generator
                 gives none
    kind         what is asked for, as far as the wording says
    outcome      ok; anything else says why there is no question, and `text` is ""
    """

    text: str
    probability: float
    cloze: str = ""
    kind: AnswerKind = ""
    outcome: Outcome = Outcome.OK


@runtime_checkable
class QuestionGenerator(Protocol):
    """Asks for a given piece of a text."""

    @property
    def id(self) -> str: ...

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """Questions about each (context, start, end) whose answer is `context[start:end]`, the
        most probable first, in order of the requests; none where it can ask nothing. The same in
        any batch."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a text answers to a question.

    text         the answer; "" unless answerable
    start, end   its characters in the text; None where the model writes instead of pointing
    probability  in 0..1, how sure the model is that the text answers the question at all
    answerable   False where the text does not say
    outcome      ok; truncated_summary where the question does not fit the model; model_error, or
                 what else kept the model from saying anything
    strayed      the model wrote an answer that the text does not have, so there is none
    context_tokens, context_cut
                 tokens of the text that were seen, and those cut from its end; 0 and 0 from a model
                 that always reads all of it
    """

    text: str
    start: int | None
    end: int | None
    probability: float
    answerable: bool
    outcome: Outcome = Outcome.OK
    strayed: bool = False
    context_tokens: int = 0
    context_cut: int = 0


@runtime_checkable
class QuestionAnswerer(Protocol):
    """Answers questions from a text, or says that the text does not."""

    @property
    def id(self) -> str: ...

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """One for each (question, context), in order, the same in any batch. Raises ConfigError
        on a question that it cannot read, as one without the cloze form that it needs."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document and a claim are written before a model that was trained on pairs of them.

    Between them, and around them, stand `before`, `between` and `after`, in which `{eos}` and
    `{pad}` are the tokenizer's own special tokens and `{pair}` is what it puts between two texts. A
    blank at the end of one of them belongs to the text behind it.

    claim_first  the claim stands before the document
    answers      what an encoder-decoder may answer; the first token of each is read
    """

    before: str = ""
    between: str = "{pair}"
    after: str = ""
    claim_first: bool = False
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What a published classifier says of one (document, claim).

    outcome        ok; truncated_summary where the claim alone does not fit; model_error on NaN
    probabilities  one for each label, or for each answer of the layout; they sum to 1; empty
                   unless ok
    source_tokens  tokens of the document that were seen
    source_cut     tokens of the document that did not fit, cut from its end
    claim_tokens   tokens of the claim; it is never cut
    """

    outcome: Outcome
    probabilities: tuple[float, ...]
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class ClaimModel(Protocol):
    """A published classifier of (document, claim), whatever its architecture."""

    @property
    def id(self) -> str: ...

    @property
    def kind(self) -> Literal["classifier", "first token", "answers"]:
        """Labels of its own for two texts, or read at the first token of a prompt; or it answers a
        question with a word."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels as its config names them; none where it answers."""
        ...

    def check(
        self,
        pairs: Sequence[tuple[str, str]],
        layout: Layout,
        *,
        context: int | None = None,
    ) -> list[Checked]:
        """One for each (document, claim), in order, the same in any batch.

        context  tokens of the longest input, where the model itself has no such limit or a higher
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special ones left out."""
        ...


@dataclass(frozen=True, slots=True)
class TokenLabels:
    """What a token classifier says of a claim's tokens, given the document.

    outcome        as in `Checked`
    probabilities  [tokens, labels]; each row sums to 1; empty unless ok
    offsets        [tokens, 2], character offsets into the claim
    source_tokens, source_cut, claim_tokens  as in `Checked`
    """

    outcome: Outcome
    probabilities: Floats
    offsets: Ints
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class TokenClassifier(Protocol):
    """A published classifier of a claim's tokens."""

    @property
    def id(self) -> str: ...

    @property
    def labels(self) -> tuple[str, ...]: ...

    def classify(
        self,
        pairs: Sequence[tuple[str, str]],
        layout: Layout,
        *,
        context: int | None = None,
    ) -> list[TokenLabels]:
        """One for each (document, claim), in order, the same in any batch; `context` as in
        `ClaimModel.check`."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a prompt. slot: whose text it is; "" for the prompt's own words, which alone may
    hold a chat template's special tokens."""

    text: str
    slot: Literal["", "document", "summary"] = ""


Prompt = tuple[Piece, ...]
"""One message of the user. Only pieces of the slot `document` are ever cut."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a prompt is to be answered; with the prompt and the model it names a transcript.

    tokens           the most tokens of an answer
    first            lower-case words whose probability as the answer's first token is wanted; a
                     model that can give them may leave its text at that token
    temperature      0: the most probable token each time
    sample           which of several answers to the same prompt, where temperature is above 0
    document_tokens  the most tokens of the document (words, where the tokens are not known)
    whole            nothing is cut: what does not fit is not answered, outcome too_long
    """

    tokens: int = 16
    first: tuple[str, ...] = ()
    temperature: float = 0.0
    sample: int = 0
    document_tokens: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What asking may cost; changes no answer. All but `transcripts` are for models elsewhere.

    transcripts   the file of stored answers, "" for the one in the user's cache folder, "off" for
                  none
    timeout       seconds until a request that is not answered is tried again, or given up
    retries       further tries, each after a longer pause
    concurrency   requests at once
    max_requests  the most requests this model may be sent in its lifetime, stored answers and
                  retries not counted
    """

    transcripts: str = ""
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 4
    max_requests: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat model answered.

    outcome            ok (whatever the text says, and if it is empty); refused, timeout or
                       model_error; truncated_summary where the prompt does not fit without its
                       document; too_long where it does not fit and was to be `whole`
    text               what it wrote, or how it refused; else ""
    first              probability of each word of `Asking.first` as the first token, over all of
                       its spellings, 0 for one that is not among the tokens that the model gives
                       probabilities of; empty where it gives none at all
    document_tokens    tokens of the document that were seen (words, where tokens are not known)
    document_cut       those cut from its end
    summary_tokens     of the summary; it is never cut
    prompt_tokens      of the whole prompt, and
    completion_tokens  of the answer, as the model counts them; 0 where it does not say
    """

    outcome: Outcome
    text: str = ""
    first: Mapping[str, float] = field(default_factory=dict)
    document_tokens: int = 0
    document_cut: int = 0
    summary_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers in words, here or behind an API."""

    @property
    def id(self) -> str: ...

    def reply(self, prompts: Sequence[Prompt], asking: Asking, limits: Limits = ...) -> list[Reply]:
        """One for each prompt, in order. What was answered before is read from the transcripts,
        and each answer is stored as soon as it is there. Raises ModelError where no prompt can be
        answered (a wrong key, no such model, the budget is used up)."""
        ...


@dataclass(frozen=True, slots=True)
class Fact:
    """A (subject, relation, object) that a text states, in words; `pieces` are the character
    offsets in the text that it was read from."""

    subject: str
    relation: str
    object: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read in one text. outcome: ok; timeout or model_error, with no facts, where the
    extractor gave no answer that can be used."""

    outcome: Outcome
    facts: tuple[Fact, ...] = ()


@runtime_checkable
class FactExtractor(Protocol):
    """Open information extraction."""

    @property
    def id(self) -> str: ...

    def extract(self, texts: Sequence[str]) -> list[Facts]:
        """The facts of each text, in order. Raises ModelError where it cannot be reached."""
        ...


@dataclass(frozen=True, slots=True)
class Labelled:
    """The phrases of one predicate with their PropBank labels (ARG0, ARGM-TMP, ...).

    outcome  ok; truncated_summary where the sentence is longer than the model takes; model_error
             on NaN
    phrases  start, end (characters of the sentence) and label, in the order of the sentence
    """

    outcome: Outcome
    phrases: tuple[tuple[int, int, str], ...] = ()


@runtime_checkable
class RoleLabeller(Protocol):
    """Semantic role labelling."""

    @property
    def id(self) -> str: ...

    def label(self, requests: Sequence[tuple[str, int, int]]) -> list[Labelled]:
        """The phrases of each (sentence, start, end of a predicate's verb), in order, the same in
        any batch."""
        ...
