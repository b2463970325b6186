"""A local model: tiny, random, of the architectures that people use; nothing is downloaded."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiny_models import tiny_model

from qtie.errors import ConfigError, LlmError
from qtie.llm.chat import ChatModel, ChatOptions

pytestmark = [
    pytest.mark.skipif(
        not (find_spec("torch") and find_spec("transformers")),
        reason="transformers is not installed; `make test-all` installs it and runs this",
    ),
    pytest.mark.filterwarnings("ignore"),
]
PROMPTS = [
    "who led it in 2010?",
    "who led it between 1990 and 1995, and whom did she follow?",
    "when?",
    "who led it, then?",
]
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


@pytest.fixture(scope="module", params=["qwen3", "llama"])
def folder(request, tmp_path_factory) -> Path:
    return tiny_model(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture
def chat(folder):
    from qtie.llm.transformers import CausalLm, TransformersChat

    lm = CausalLm.load(folder)
    lm.network.float()  # in bfloat16 a batch may round otherwise than a single prompt
    return TransformersChat(lm, template=False)


def test_it_answers_the_protocol(chat):
    assert isinstance(chat, ChatModel)


def test_answers_are_those_of_generate(chat):
    import torch

    options = ChatOptions(max_tokens=12)
    network, tokenizer = chat.lm.network, chat.lm.tokenizer
    for prompt, answer in zip(PROMPTS, chat.complete_many(PROMPTS, options), strict=True):
        ids = torch.tensor([tokenizer(prompt)["input_ids"]])
        made = network.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
        assert answer == tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)


def test_a_prompt_is_answered_alike_alone_and_among_others(chat):
    options = ChatOptions(max_tokens=10)
    seen = {}
    together = chat.complete_many(PROMPTS, options, on_answer=seen.__setitem__)
    assert together == [chat.complete(prompt, options) for prompt in PROMPTS]
    assert seen == dict(enumerate(together))
    assert len(set(together)) > 1


def test_the_pieces_of_a_stream_are_the_answer(chat):
    options = ChatOptions(max_tokens=30)
    for prompt in PROMPTS:
        pieces = list(chat.stream(prompt, options))
        assert "".join(pieces) == chat.complete(prompt, options)
        assert len(pieces) > 1


def test_an_answer_ends_before_a_stop_string(chat):
    whole = chat.complete(PROMPTS[0], ChatOptions(max_tokens=30))
    stop = whole[5:8]
    options = ChatOptions(max_tokens=30, stop=("never said", stop))
    assert chat.complete(PROMPTS[0], options) == whole[: whole.index(stop)]
    assert "".join(chat.stream(PROMPTS[0], options)) == whole[: whole.index(stop)]


def test_no_prompts_no_answers(chat):
    assert chat.complete_many([]) == []


def test_a_prompt_that_is_too_long(chat):
    short, long = chat.complete_many(["who?", "who? " * 1000], ChatOptions(max_tokens=4))
    assert isinstance(short, str)
    assert isinstance(long, LlmError)
    assert long.reason == "prompt too long"
    for ask in (chat.complete, lambda prompt: list(chat.stream(prompt))):
        with pytest.raises(LlmError, match="the model reads 2048"):
            ask("secret " * 1000)


def test_constrained_decoding_is_refused(chat):
    with pytest.raises(ConfigError, match="JSON schema"):
        chat.complete("who?", ChatOptions(schema={"type": "object"}))


def test_a_template_is_used_where_there_is_one(tmp_path):
    from qtie.llm.transformers import CausalLm, TransformersChat

    lm = CausalLm.load(tiny_model(tmp_path, template=TEMPLATE))
    options = ChatOptions(max_tokens=8, system="be brief")
    by_hand = TransformersChat(lm, template=False).complete(
        "<system>be brief<user>who?<assistant>", ChatOptions(max_tokens=8)
    )
    assert TransformersChat(lm).complete("who?", options) == by_hand
    assert TransformersChat(lm, template=False).complete("who?", options) != by_hand


def test_another_model_in_the_same_folder_has_another_identity(tmp_path):
    from qtie.llm.transformers import TransformersChat

    before = TransformersChat(tiny_model(tmp_path)).identity
    assert str(tmp_path) in before
    assert TransformersChat(tiny_model(tmp_path, seed=1)).identity != before


def test_a_gguf_file_is_loaded(tmp_path):
    """Written by hand as llama.cpp lays it out: a Llama of one layer."""
    gguf = pytest.importorskip("gguf")
    from qtie.llm.transformers import TransformersChat

    path = tmp_path / "tiny.gguf"
    _write_gguf(gguf, path)
    answer = TransformersChat(path).complete("who?", ChatOptions(max_tokens=4))
    assert isinstance(answer, str)


def _write_gguf(gguf, path: Path) -> None:
    import numpy as np
    from tokenizers import pre_tokenizers

    pieces = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġt", "<|end|>"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(128)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(8)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(pieces)
    writer.add_token_types([1] * (len(pieces) - 1) + [3])
    writer.add_token_merges(["Ġ t"])
    for name in ("bos", "eos", "pad"):
        getattr(writer, f"add_{name}_token_id")(len(pieces) - 1)
    shapes = {
        "token_embd": (len(pieces), 32), "output": (len(pieces), 32),
        "blk.0.attn_q": (32, 32), "blk.0.attn_k": (16, 32),
        "blk.0.attn_v": (16, 32), "blk.0.attn_output": (32, 32), "blk.0.ffn_gate": (64, 32), "blk.0.ffn_up": (64, 32),
        "blk.0.ffn_down": (32, 64), "blk.0.attn_norm": (32,), "blk.0.ffn_norm": (32,), "output_norm": (32,),
    }  # fmt: skip
    random = np.random.default_rng(0)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.parametrize("name", ["nowhere", "empty", "broken", "nowhere.gguf", "broken.gguf"])
def test_what_is_no_model_is_one_error(tmp_path, monkeypatch, name):
    from qtie.llm.transformers import TransformersChat

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.gguf").write_bytes(b"GGUF not really")
    (tiny_model(tmp_path / "broken") / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(ConfigError, match=r"no language model could be loaded|no such file or folder"):
        TransformersChat(tmp_path / name).complete("who?")


def test_an_adapter_that_is_none_or_of_another_model(tmp_path):
    from qtie.llm.transformers import TransformersChat

    pytest.importorskip("peft")
    model = tiny_model(tmp_path / "model")
    (tmp_path / "adapter").mkdir()
    with pytest.raises(ConfigError, match="with adapter"):
        TransformersChat(model, adapter=tmp_path / "adapter").complete("who?")
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 2}))
    with pytest.raises(ConfigError, match="with adapter"):
        TransformersChat(model, adapter=tmp_path / "adapter").complete("who?")
