"""Random models of a few thousand weights and a tokenizer trained on the spot, so that tests of
likelihoods need neither a download nor time."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

SENTENCE = (
    "the mayor of paris said on monday that two new schools open in june after a long delay while "
    "critics in lyon called the plan too costly and asked for 300 million euros more by autumn"
)
WORDS = SENTENCE.split()
CONTEXT = 256
SPECIAL = ["<pad>", "<s>", "</s>"]
NLI_LABELS = ("contradiction", "neutral", "entailment")


def text(start: int, length: int) -> str:
    """`length` words from a fixed cycle that never repeats in step with the vocabulary."""
    return " ".join(WORDS[(start * 7 + i * i + 3 * i) % len(WORDS)] for i in range(length)) + "."


def _bpe(
    texts: list[str], size: int, special: list[str], frame: dict[str, str] | None = None
) -> Any:
    """A byte-level BPE of `size` tokens, these special ones first, trained on the texts.

    frame: `single` and, of two texts, `pair`, with the special tokens put around them
    """
    from tokenizers import ByteLevelBPETokenizer, processors

    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(
        texts, vocab_size=size, min_frequency=1, special_tokens=special, show_progress=False
    )
    if frame:
        bpe._tokenizer.post_processor = processors.TemplateProcessing(
            **frame, special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return bpe._tokenizer


@lru_cache
def tokenizer(bos: bool = True, eos: bool = True, frame: bool = False) -> Any:
    """A byte-level BPE of 300 tokens. frame: puts BOS before and EOS after a text, as BART's."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=_bpe(
            [" ".join(WORDS)] * 3, 300, SPECIAL, {"single": "<s> $A </s>"} if frame else None
        ),
        bos_token="<s>" if bos else None,
        eos_token="</s>" if eos else None,
        pad_token="<pad>",
    )


def _seeded(kind: Any, config: Any, gain: float = 8) -> Any:
    torch.manual_seed(0)
    model = kind(config).eval()
    # The usual initialisation gives almost even probabilities, under which nothing can go wrong.
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(gain)
    return model


def llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=CONTEXT,
        bos_token_id=1, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    return _seeded(LlamaForCausalLM, config)


def save_llama(folder: Path) -> Path:
    """The causal model with its tokenizer in a folder, which is returned."""
    llama().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=300, n_embd=32, n_layer=2, n_head=4, n_positions=CONTEXT)
    return _seeded(GPT2LMHeadModel, config)


def gemma2() -> Any:
    """Caps its logits, and its cache forgets what is outside a sliding window."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    config = Gemma2Config(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, sliding_window=16,
        max_position_embeddings=CONTEXT, final_logit_softcapping=3.0,
    )  # fmt: skip
    return _seeded(Gemma2ForCausalLM, config)


def bart() -> Any:
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(
        vocab_size=300, d_model=32, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=64,
        decoder_ffn_dim=64, encoder_attention_heads=4, decoder_attention_heads=4,
        max_position_embeddings=CONTEXT, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=2, forced_eos_token_id=2,
    )  # fmt: skip
    model = _seeded(BartForConditionalGeneration, config)
    model.final_logits_bias += torch.linspace(-1, 1, 300)
    return model


def t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=300, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, n_positions=CONTEXT,
        pad_token_id=0, eos_token_id=2, decoder_start_token_id=0, tie_word_embeddings=True,
    )  # fmt: skip
    return _seeded(T5ForConditionalGeneration, config, gain=1)


CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@lru_cache
def chat_tokenizer() -> Any:
    """A byte-level BPE of 400 tokens with ChatML's special tokens, an added token that is not
    special, and yes and no in several spellings."""
    from transformers import PreTrainedTokenizerFast

    texts = [" ".join(WORDS), "yes no Yes No the summary is consistent with the document"] * 3
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=_bpe(texts, 397, ["<|endoftext|>"]),
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
    )
    tokenizer.add_tokens(["<tool>"])
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def chat(gain: float = 8) -> Any:
    """A causal model for `chat_tokenizer`."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = chat_tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=2048,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return _seeded(LlamaForCausalLM, config, gain)


def save_chat(folder: Path) -> Path:
    """The chat model with its tokenizer in a folder, which is returned."""
    chat().save_pretrained(folder)
    chat_tokenizer().save_pretrained(folder)
    return folder


@lru_cache
def pair_tokenizer(types: bool = False) -> Any:
    """A byte-level BPE of 300 tokens that joins two texts, as RoBERTa and BART do. types: one
    separator between them and a token type for each, as BERT does."""
    from transformers import PreTrainedTokenizerFast

    pair = "<s> $A </s> $B:1 </s>:1" if types else "<s> $A </s> </s> $B </s>"
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=_bpe(
            [" ".join(WORDS)] * 3, 300, SPECIAL, {"single": "<s> $A </s>", "pair": pair}
        ),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        model_input_names=names if types else names[::2],
    )


def classifier(kind: str, *labels: str, gain: float = 8) -> Any:
    """A sequence classifier with these labels, in this order: bert, roberta, deberta or bart."""
    import transformers as hf

    names = {"id2label": dict(enumerate(labels)), "label2id": {k: i for i, k in enumerate(labels)}}
    size = {
        "vocab_size": 300, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    if kind == "bart":
        config = hf.BartConfig(
            vocab_size=300, d_model=32, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=64,
            decoder_ffn_dim=64, encoder_attention_heads=4, decoder_attention_heads=4,
            max_position_embeddings=CONTEXT, pad_token_id=0, bos_token_id=1, eos_token_id=2,
            decoder_start_token_id=2, **names,
        )  # fmt: skip
        return _seeded(hf.BartForSequenceClassification, config, gain)
    if kind == "roberta":
        # Positions begin after the padding's.
        config = hf.RobertaConfig(
            **size, max_position_embeddings=CONTEXT + 1, type_vocab_size=1, **names
        )
        return _seeded(hf.RobertaForSequenceClassification, config, gain)
    if kind == "deberta":
        config = hf.DebertaV2Config(
            **size, max_position_embeddings=CONTEXT, relative_attention=True,
            position_biased_input=False, pos_att_type=["p2c", "c2p"], type_vocab_size=0, **names,
        )  # fmt: skip
        return _seeded(hf.DebertaV2ForSequenceClassification, config, gain)
    config = hf.BertConfig(**size, max_position_embeddings=CONTEXT, **names)
    return _seeded(hf.BertForSequenceClassification, config, gain)


def save_classifier(
    folder: Path, kind: str = "bert", labels: tuple[str, ...] = NLI_LABELS, **options: Any
) -> Path:
    """A classifier with its tokenizer in a folder, which is returned."""
    classifier(kind, *labels, **options).save_pretrained(folder)
    pair_tokenizer(types=kind == "bert").save_pretrained(folder)
    return folder


def token_classifier(kind: str, *labels: str) -> Any:
    """A token classifier with these labels, in this order: modernbert or t5."""
    import transformers as hf

    names = {"id2label": dict(enumerate(labels)), "label2id": {k: i for i, k in enumerate(labels)}}
    if kind == "t5":
        config = hf.T5Config(
            vocab_size=300, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
            feed_forward_proj="gated-gelu", pad_token_id=0, eos_token_id=2, **names,
        )  # fmt: skip
        return _seeded(hf.T5ForTokenClassification, config, gain=0.5)
    config = hf.ModernBertConfig(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=3,
        num_attention_heads=4, max_position_embeddings=CONTEXT, local_attention=32, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2, **names,
    )  # fmt: skip
    return _seeded(hf.ModernBertForTokenClassification, config)


def save_checkpoint(folder: Path, metric: str) -> Path:
    """What a published checkpoint of this metric looks like, in a folder, which is returned."""
    if metric == "alignscore":
        return save_classifier(folder, "roberta", ("aligned", "neutral", "contradiction"))
    if metric == "factcc":
        return save_classifier(folder, "bert", ("CORRECT", "INCORRECT"))
    if metric in ("unieval", "minicheck"):
        t5().save_pretrained(folder)
    elif metric == "hhem":
        token_classifier("t5", "hallucinated", "consistent").save_pretrained(folder)
    else:
        token_classifier("modernbert", "LABEL_0", "LABEL_1").save_pretrained(folder)
    pair_tokenizer().save_pretrained(folder)
    return folder


def reader(kind: str, gain: float = 8) -> Any:
    """A span model (extractive question answering): bert or roberta."""
    import transformers as hf

    size = {
        "vocab_size": 300, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    if kind == "roberta":
        # Positions begin after the padding's.
        config = hf.RobertaConfig(**size, max_position_embeddings=CONTEXT + 1, type_vocab_size=1)
        return _seeded(hf.RobertaForQuestionAnswering, config, gain)
    config = hf.BertConfig(**size, max_position_embeddings=CONTEXT)
    return _seeded(hf.BertForQuestionAnswering, config, gain)
