"""A language model on this machine, by Hugging Face `transformers`: a folder, a hub name or a GGUF file."""

import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from os.path import commonprefix
from pathlib import Path
from typing import Any

from qtie.errors import ConfigError, LlmError, MissingExtraError, require
from qtie.llm.chat import ChatOptions, OnAnswer
from qtie.processor import has_bf16

__all__ = ["CausalLm", "TransformersChat", "quiet"]

_DEFAULT = ChatOptions()


@dataclass(frozen=True, slots=True, eq=False)
class CausalLm:
    """A causal language model with its tokenizer."""

    network: Any
    tokenizer: Any

    @classmethod
    def load(cls, model: str | Path, *, adapter: str | Path | None = None) -> "CausalLm":
        """The model in a folder, a GGUF file (its weights unpacked) or, by name, on the Hugging Face hub.

        On a graphics card where there is one; in bfloat16 where the processor multiplies in it, else in float32.

        Args:
            adapter: folder of a LoRA adapter, which is merged into the weights.

        Raises:
            ConfigError: there is no such model or adapter.
            MissingExtraError: `torch`, `transformers`, `peft` (adapters) or `gguf` (such files) is not installed.
        """
        torch, hub = require("torch", extra="transformers"), require("transformers", extra="transformers")
        where, options = str(model), {}
        if where.endswith(".gguf"):
            require("gguf", extra="transformers")
            where, options = str(Path(model).parent), {"gguf_file": Path(model).name}
        on_cuda = torch.cuda.is_available()
        how = {"dtype": torch.float32, "attn_implementation": "sdpa" if on_cuda else "eager"}  # faster on a processor
        if options:
            how["quantization_config"] = hub.GgufConfig(dequantize=True)
        try:
            with quiet(is_local=Path(where).exists()):
                tokenizer = hub.AutoTokenizer.from_pretrained(where, padding_side="left", **options)
                network = hub.AutoModelForCausalLM.from_pretrained(where, **options, **how)
                if adapter is not None:
                    peft = require("peft", extra="transformers")
                    network = peft.PeftModel.from_pretrained(network, str(adapter)).merge_and_unload()
        except MissingExtraError:
            raise
        except Exception as error:  # what these libraries raise for files they cannot read has no common base
            named = f"{model}" if adapter is None else f"{model} with adapter {adapter}"
            raise ConfigError(f"{named}: no language model could be loaded: {error}") from error
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        low = torch.bfloat16 if (torch.cuda.is_bf16_supported() if on_cuda else has_bf16()) else torch.float32
        network = network.to(device="cuda" if on_cuda else "cpu", dtype=low)
        return cls(network.eval(), tokenizer)


@contextmanager
def quiet(*, is_local: bool) -> Iterator[None]:
    """Without the libraries' warnings to each other, and without progress bars but for downloads."""
    with warnings.catch_warnings(), redirect_stderr(StringIO()) if is_local else nullcontext():
        warnings.simplefilter("ignore", FutureWarning)
        yield


class TransformersChat:
    """A local model as a `ChatModel`: greedy, many prompts at a time, their common beginning computed once.

    Args:
        model: folder, GGUF file or hub name, loaded at first use; or a model that is loaded already.
        adapter: folder of a LoRA adapter, such as `qtie train lora` writes.
        template: put prompts into the model's chat template, where it has one; not for a model that was tuned on plain
            text. By default where there is no adapter.
        batch_size: how many prompts are answered at a time.

    Raises:
        ConfigError: a file or folder is named that is not there; what could be a hub name is looked up at first use.
    """

    name = "transformers"

    def __init__(
        self,
        model: str | Path | CausalLm,
        *,
        adapter: str | Path | None = None,
        template: bool | None = None,
        batch_size: int = 32,
    ) -> None:
        _check_present(model, adapter)
        self._source, self._adapter = model, adapter
        self._template = adapter is None if template is None else template
        self._batch_size = batch_size
        self._lock = threading.Lock()
        stamps = [] if isinstance(model, CausalLm) else [_stamp(model)]
        stamps += [] if adapter is None else [_stamp(adapter)]
        self.identity = " ".join([self.name, *stamps, *(["template"] if self._template else [])])

    @cached_property
    def lm(self) -> CausalLm:
        """The model, loaded at first use."""
        if isinstance(self._source, CausalLm):
            return self._source
        return CausalLm.load(self._source, adapter=self._adapter)

    def complete(self, prompt: str, options: ChatOptions = _DEFAULT) -> str:
        """The answer; see `ChatModel.complete`.

        Raises:
            LlmError: the prompt is longer than the model can read.
            ConfigError: the model cannot be loaded, or `options` ask for constrained decoding.
        """
        answer = self.complete_many([prompt], options)[0]
        if isinstance(answer, LlmError):
            raise answer
        return answer

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = _DEFAULT, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        """The answers in order; prompts of like length go through the model together.

        Raises:
            ConfigError: as `complete`.
        """
        with self._lock:
            answers: dict[int, str | LlmError] = {}
            encoded: dict[int, list[int]] = {}
            for at, prompt in enumerate(prompts):
                ids = self._encoded(prompt, options)
                if isinstance(ids, LlmError):
                    answers[at] = ids
                else:
                    encoded[at] = ids
            order = sorted(encoded, key=lambda at: len(encoded[at]))
            for start in range(0, len(order), self._batch_size):
                places = order[start : start + self._batch_size]
                for at, answer in zip(places, self._answers([encoded[at] for at in places], options), strict=True):
                    answers[at] = answer
                    if on_answer:
                        on_answer(at, answer)
        return [answers[at] for at in range(len(prompts))]

    def stream(self, prompt: str, options: ChatOptions = _DEFAULT) -> Iterator[str]:
        """The answer in pieces, as they come; see `ChatModel.stream`.

        Raises:
            LlmError: as `complete`.
        """
        with self._lock:
            ids = self._encoded(prompt, options)
            if isinstance(ids, LlmError):
                raise ids
            yield from self._pieces(ids, options)

    def _pieces(self, ids: list[int], options: ChatOptions) -> Iterator[str]:
        """What is new in the answer; what may be the beginning of a stop string waits for the next token."""
        said, text = "", ""
        for texts in self._growing([ids], options):
            text = _cut(texts[0], options.stop)
            safe = text[: len(text) - _n_unsure(text, options.stop)]
            if len(safe) > len(said):
                yield safe[len(said) :]
                said = safe
        if len(text) > len(said):
            yield text[len(said) :]

    def _answers(self, batch: list[list[int]], options: ChatOptions) -> list[str]:
        *_, texts = self._growing(batch, options)
        return [_cut(text, options.stop) for text in texts]

    def _encoded(self, prompt: str, options: ChatOptions) -> list[int] | LlmError:
        if options.schema is not None:
            raise ConfigError("a local model cannot be held to a JSON schema; leave the schema out")
        network, tokenizer = self.lm.network, self.lm.tokenizer
        templated = self._template and tokenizer.chat_template is not None
        if templated:
            told = [{"role": "system", "content": options.system}] if options.system else []
            turns = [*told, {"role": "user", "content": prompt}]
            prompt = tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        elif options.system:
            prompt = f"{options.system}\n\n{prompt}"
        ids: list[int] = tokenizer(prompt, add_special_tokens=not templated)["input_ids"]
        limit = getattr(network.config.get_text_config(), "max_position_embeddings", None)
        if limit is not None and len(ids) + options.max_tokens > limit:
            reason = f"the prompt has {len(ids)} tokens, the answer up to {options.max_tokens}, the model reads {limit}"
            return LlmError(f"{self.name}: {reason}", reason="prompt too long")
        return ids

    def _growing(self, batch: list[list[int]], options: ChatOptions) -> Iterator[list[str]]:
        """The texts of all answers after each token, until all are complete."""
        torch, hub = require("torch", extra="transformers"), require("transformers", extra="transformers")
        network, tokenizer = self.lm.network, self.lm.tokenizer
        ends = _end_tokens(network, tokenizer)
        cache, tokens, mask = hub.DynamicCache(config=network.config), *_shared(batch, network, tokenizer.pad_token_id)
        shared = mask.shape[1] - tokens.shape[1]
        said: list[list[int]] = [[] for _ in batch]
        done = [False] * len(batch)
        for n_said in range(options.max_tokens):
            with torch.inference_mode():
                if n_said == 0 and shared:
                    network(input_ids=torch.tensor([batch[0][:shared]], device=tokens.device), cache=cache)
                    cache.batch_repeat_interleave(len(batch))
                places = (mask.cumsum(-1) - 1).clamp(min=0)[:, -tokens.shape[1] :]
                logits = network(
                    input_ids=tokens, attention_mask=mask, position_ids=places, cache=cache, logits_to_keep=1
                ).logits
                tokens = logits[:, -1].argmax(-1, keepdim=True)
                mask = torch.cat([mask, mask.new_ones(len(batch), 1)], dim=1)
            for at, token in enumerate(tokens[:, 0].tolist()):
                done[at] = done[at] or token in ends
                said[at] += [] if done[at] else [token]
            texts = tokenizer.batch_decode(said, skip_special_tokens=True)
            yield texts
            done = [is_done or _cut(text, options.stop) != text for is_done, text in zip(done, texts, strict=True)]
            if all(done):
                return


def _shared(batch: list[list[int]], network: Any, pad: int) -> tuple[Any, Any]:
    """What follows the prompts' common beginning, padded on the left, and the mask of the whole."""
    torch = require("torch", extra="transformers")
    n_shared = min(len(commonprefix(batch)), min(map(len, batch)) - 1)
    rest = [ids[n_shared:] for ids in batch]
    n_widest = max(map(len, rest))
    tokens = torch.tensor([[pad] * (n_widest - len(ids)) + ids for ids in rest], device=network.device)
    mask = [[1] * n_shared + [0] * (n_widest - len(ids)) + [1] * len(ids) for ids in rest]
    return tokens, torch.tensor(mask, device=network.device)


def _end_tokens(network: Any, tokenizer: Any) -> set[int]:
    named = network.generation_config.eos_token_id
    listed = named if isinstance(named, list) else [named]
    return {token for token in [*listed, tokenizer.eos_token_id] if token is not None}


def _cut(text: str, stops: Sequence[str]) -> str:
    """The text before the first stop string."""
    return text[: min((at for stop in stops if (at := text.find(stop)) >= 0), default=len(text))]


def _n_unsure(text: str, stops: Sequence[str]) -> int:
    """How many of the last characters may belong to a stop string, or to a character that is not complete."""
    if text.endswith("\N{REPLACEMENT CHARACTER}"):
        return 1
    return max((n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])), default=0)


def _check_present(*sources: object) -> None:
    """Refuses what can only be a path, and leads nowhere; other names may be those of a hub."""
    for source in sources:
        is_path = isinstance(source, Path) or (isinstance(source, str) and re.match(r"[./~]|.*\.gguf$", source))
        if is_path and not Path(str(source)).exists():
            raise ConfigError(f"{source}: no such file or folder")


def _stamp(path: str | Path) -> str:
    """The name with the size and age of its files: what is trained again under the same name is another model."""
    where = Path(path)
    inside = sorted(where.glob("*.safetensors")) if where.is_dir() else [where] if where.is_file() else []
    return " ".join([str(path), *(f"{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in inside)])
