"""The commands for temporal knowledge graphs: `qtie tkg index` and `qtie tkg ask`."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import parsed, progress, say, write, write_json
from qtie.cli.options import json_option, make_reader, reading_options, words_of
from qtie.errors import ConfigError, DocumentError, MissingExtraError
from qtie.llm.backends import LlmOptions
from qtie.llm.chat import ChatModel

__all__ = ["tkg"]

_Folder = click.Path(path_type=Path, file_okay=False)


@click.group()
def tkg() -> None:
    """Questions answered from facts that hold at a time."""


@tkg.command()
@click.argument("facts", type=click.Path(allow_dash=True))
@click.argument("store", type=_Folder)
@click.option("--encoder", help="Compares predicates and facts: minilm, a folder, a name; none: by shared words alone.")
@click.option("--time-encoder", help="A time-aware encoder, for a second index: a folder of qtie train tkg-retriever.")
@click.option("--phrases", type=click.Path(), help="JSONL of further phrases for predicates: relation, phrases.")
def index(facts: str, store: Path, encoder: str | None, time_encoder: str | None, phrases: str | None) -> None:
    """Index FACTS (TSV: subject, relation, object, start, end; or JSONL; gzip too) in the folder STORE.

    A row that stops before the end is a fact of one date; with a blank end it goes on since its start.
    """
    from qtie.retrieval.encoders import load_encoder
    from qtie.tkg.fact import read_facts
    from qtie.tkg.relations import read_phrases, shipped_phrases
    from qtie.tkg.store import FactStore

    known = dict(shipped_phrases())
    for label, given in (read_phrases(phrases) if phrases else {}).items():
        known[label] = (*known.get(label, ()), *given)
    encoders = {"fks": encoder or _default_encoder(), "tks": time_encoder or "none"}
    loaded = {name: load_encoder(given) for name, given in encoders.items() if given != "none"}
    kept = FactStore.of(progress(read_facts(facts), label="reading"), phrases=known)
    for name, each in loaded.items():
        kept = kept.with_index(name, each, encoder_name=encoders[name])
    kept.save(store)
    n_entities, n_predicates = len(kept.entities), len(kept.predicates)
    click.echo(f"{len(kept)} facts, {n_entities} entities, {n_predicates} predicates: {store}")
    if kept.n_open_ended:
        say(f"facts with an open end, which still go on: {kept.n_open_ended}")


def _default_encoder() -> str:
    from qtie.retrieval.encoders import minilm_folder

    try:
        minilm_folder()
    except MissingExtraError as error:
        say(f"predicates are compared by their words alone: {error}")
        return "none"
    return "minilm"


@tkg.command()
@click.argument("question", callback=parsed(words_of))
@click.option("--store", type=_Folder, required=True, help="The folder that qtie tkg index wrote.")
@click.option("--facts", "n_facts", type=click.IntRange(min=1), default=15, show_default=True, help="How many to read.")
@click.option(
    "--final-stage",
    type=click.Choice(["product_of_experts", "timer4_2024", "timer4_2025", "cosine"]),
    default="product_of_experts",
    show_default=True,
    help="How facts are ranked by topic and time.",
)
@click.option("--no-rewrite", is_flag=True, help="Leave events as they are.")
@click.option("--llm", help="A model that reads the facts: an endpoint's URL, a GGUF file or a folder.")
@click.option("--llm-model", help="Its name at the endpoint.")
@click.option("--llm-adapter", help="Folder of qtie train tkg-reasoner, for a local model.")
@reading_options
@json_option
@click.option("--explain", is_flag=True, help="Show every stage.")
def ask(
    question: str,
    store: Path,
    n_facts: int,
    final_stage: str,
    no_rewrite: bool,
    llm: str | None,
    llm_model: str | None,
    llm_adapter: str | None,
    reference_date: date | None,
    as_json: bool,
    explain: bool,
    **reading: Any,
) -> None:
    """Answer QUESTION from the facts in a store; `-` reads JSON lines with `question` and writes one each.

    An answer in doubt is not on stdout: why, and what is nearest, stands on stderr.
    """
    from qtie.tkg.pipeline import TkgOptions, TkgPipeline

    if not question.strip():
        raise ConfigError("the question is empty")
    config, extractor = make_reader(**reading)
    options = TkgOptions(n_facts=n_facts, final_stage=final_stage, rewrite=not no_rewrite)
    pipeline: Any = TkgPipeline.load(store, extractor, options=options)
    if llm:
        from qtie.tkg.reasoner import TkgReasoner

        pipeline = TkgReasoner(pipeline, _chat(llm, config.llm, model=llm_model, adapter=llm_adapter))
    elif llm_model or llm_adapter:
        raise ConfigError("--llm-model and --llm-adapter go with --llm")
    today = reference_date or date.today()
    if question == "-":
        from qtie.corpus import read_records

        for where, record in read_records("-"):
            if not isinstance(record.get("question"), str):
                raise DocumentError(f"{where}: field 'question': expected a text, got {record.get('question')!r}")
            write_json({**record, **pipeline.ask(record["question"], reference_date=today).to_dict()})
        return
    answer = pipeline.ask(question, reference_date=today)
    record = answer.to_dict()
    if explain or as_json:
        write([record], answer.explain, as_json=as_json)
    else:
        _write_plain(record)


def _write_plain(record: Mapping[str, Any]) -> None:
    """The best answers, a line each; where they are in doubt, none on stdout but why, and the nearest, on stderr."""
    best = record["best_answers"]
    nearest = f"nearest: {'; '.join(best)}" if record["abstained"] and best else ""
    for note in filter(None, (record["reason"], *record["notes"], nearest)):
        say(note)
    if not record["abstained"]:
        write([record], lambda: "\n".join(best), as_json=False)


def _chat(llm: str, options: LlmOptions, *, model: str | None, adapter: str | None) -> ChatModel:
    """The endpoint of a URL, or the local model in a file or folder."""
    from qtie.llm.backends import make_chat

    if llm.startswith(("http://", "https://")):
        return make_chat("openai", replace(options, base_url=llm, model=model or options.model))
    return make_chat("transformers", replace(options, model=llm, adapter=adapter))
