"""Tiny random language models of the architectures that people use, for tests; nothing is downloaded."""

from pathlib import Path


def tiny_model(folder: Path, kind: str = "qwen3", *, seed: int = 0, template: str | None = None) -> Path:
    """A folder with a random network of two layers and a tokenizer of the architecture's kind, of ASCII characters."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = [*map(chr, range(33, 127)), "Ġ", "Ċ"]  # ASCII; the last two are blank and line break
    tokenizer = Tokenizer(models.BPE(vocab={piece: at for at, piece in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.chat_template = template
    fast.save_pretrained(folder)
    config = {"qwen3": transformers.Qwen3Config, "llama": transformers.LlamaConfig}[kind](
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, max_position_embeddings=2048, eos_token_id=fast.eos_token_id,
        pad_token_id=fast.eos_token_id, initializer_range=0.5,
    )  # fmt: skip
    torch.manual_seed(seed)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder
