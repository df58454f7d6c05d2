"""The protocols of models, by role. Importing this loads no model library.

A metric names the protocol that it needs in its constructor, so it runs with a fake in a test, with
an embedded model or with a published checkpoint. `faithkit.models.load` loads models.
"""

from faithkit.models.chat.limits import Limits
from faithkit.models.protocols.base import ENGLISH, Bools, Floats, Ints, Trained
from faithkit.models.protocols.chat import Asking, ChatModel, Piece, Prompt, Reply
from faithkit.models.protocols.classifiers import (
    Checked,
    ClaimModel,
    Layout,
    TokenClassifier,
    TokenLabels,
)
from faithkit.models.protocols.encoders import SentenceEmbedder, TokenEncoder, TokenStates
from faithkit.models.protocols.entailment import (
    CLASSES,
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    Entailed,
    EntailmentModel,
)
from faithkit.models.protocols.generation import Generated, Generator
from faithkit.models.protocols.likelihood import PLAIN, Forced, Forcing, Join, LanguageModel, Vector
from faithkit.models.protocols.questions import (
    GAP,
    Answer,
    AnswerKind,
    Question,
    QuestionAnswerer,
    QuestionGenerator,
)
from faithkit.models.protocols.relations import Fact, FactExtractor, Facts, Labelled, RoleLabeller
from faithkit.models.protocols.support import Decision, SentenceVerdict, SupportModel, Verdict

__all__ = [
    "CLASSES",
    "CONTRADICTION",
    "ENGLISH",
    "ENTAILMENT",
    "GAP",
    "NEUTRAL",
    "PLAIN",
    "Answer",
    "AnswerKind",
    "Asking",
    "Bools",
    "ChatModel",
    "Checked",
    "ClaimModel",
    "Decision",
    "Entailed",
    "EntailmentModel",
    "Fact",
    "FactExtractor",
    "Facts",
    "Floats",
    "Forced",
    "Forcing",
    "Generated",
    "Generator",
    "Ints",
    "Join",
    "Labelled",
    "LanguageModel",
    "Layout",
    "Limits",
    "Piece",
    "Prompt",
    "Question",
    "QuestionAnswerer",
    "QuestionGenerator",
    "Reply",
    "RoleLabeller",
    "SentenceEmbedder",
    "SentenceVerdict",
    "SupportModel",
    "TokenClassifier",
    "TokenEncoder",
    "TokenLabels",
    "TokenStates",
    "Trained",
    "Vector",
    "Verdict",
]
