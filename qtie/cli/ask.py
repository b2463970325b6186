"""The command that answers questions: `qtie ask`."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import parsed, say, write, write_json
from qtie.cli.options import (
    check_stdin,
    config_option,
    json_option,
    load_config,
    make_searcher,
    reference_date_option,
    retrieval_options,
    scoring_options,
    words_of,
)
from qtie.cli.skipped import Skipped, skipping, skipping_options
from qtie.cli.store import make_store_searcher
from qtie.errors import ConfigError, EvaluationError, QtieError
from qtie.llm.backends import LlmOptions, make_chat
from qtie.tie.extractors import DEFAULT_EXTRACTOR, EXTRACTORS

__all__ = ["ask"]

_OF_LLM_EXTRACTORS = ("model", "base_url", "api_key_env", "endpoint", "adapter", "shots", "granularity", "fallback")


@click.command()
@click.argument("question", callback=parsed(words_of))
@click.argument("corpus", required=False, type=click.Path(allow_dash=True))
@click.option("--store", help="A store (see qtie index) in place of CORPUS.")
@click.option(
    "--pipeline",
    default="temporal",
    show_default=True,
    help="standard, temporal, iterative, closed-book, or reranked:RANKER.",
)
@click.option("--llm", help="What reads: the URL of an endpoint, a GGUF file or a model's folder.  [default: none]")
@click.option("--model", help="The model's name at the endpoint.")
@click.option("--api-key-env", help="The environment variable that holds the endpoint's key.")
@click.option("-k", type=click.IntRange(min=1), default=5, show_default=True, help="How many passages are read.")
@click.option("--max-steps", type=click.IntRange(min=1), default=4, show_default=True, help="Rounds of iterative.")
@click.option("--extractor", type=click.Choice(list(EXTRACTORS)), help=f"[default: {DEFAULT_EXTRACTOR}]")
@click.option("--resolve-events", is_flag=True, help="Put the days of named events in; iterative always does.")
@click.option("--events", multiple=True, type=click.Path(), help="JSONL of further events; resolves them too.")
@reference_date_option
@config_option
@scoring_options
@retrieval_options
@skipping_options
@json_option
@click.option("--explain", is_flag=True, help="What time was asked for, and every round of retrieving and reading.")
def ask(
    question: str, corpus: str | None, store: str | None, pipeline: str, llm: str | None, model: str | None,
    api_key_env: str | None, k: int, max_steps: int, as_json: bool, explain: bool, **options: Any,
) -> None:  # fmt: skip
    """Answer QUESTION from CORPUS (JSONL, CSV, or a folder), with citations and their dates.

    Without CORPUS and --store, the sample corpus that comes with the package is asked. `-` reads questions from stdin,
    one a line, plain or as JSON with `question`, and writes JSON lines.
    """
    from qtie.rag.pipeline import Settings
    from qtie.rag.pipelines import make_pipeline
    from qtie.retrieval.grounding import evidence_search
    from qtie.rewriting.rewriters import make_rewriter

    check_stdin(question, corpus or "")
    config = load_config(options["config_path"])
    config = replace(config, events=replace(config.events, files=(*config.events.files, *options["events"])))
    if pipeline == "closed-book" and not llm:
        raise ConfigError("closed-book answers from what a language model knows: it needs --llm")
    reader, concurrency = _reader(llm, config.llm, model=model, api_key_env=api_key_env)
    searcher, asked = _searcher(corpus, store, {**dict.fromkeys(_OF_LLM_EXTRACTORS), **options})
    settings = Settings(reader=reader, extractor=searcher.reranker.extractor, k=k, max_steps=max_steps)
    rewriter = make_rewriter(config, search=evidence_search(searcher))
    chosen = make_pipeline(pipeline, searcher, settings, rewriter=rewriter)
    today = asked["reference_date"]
    if question == "-":
        with skipping("-", on_error=options["on_error"], skipped=options["skipped"]) as faulty:
            _answer_lines(chosen, today, faulty, concurrency=concurrency, explain=explain)
        return
    if llm and not as_json and not explain and sys.stdout.isatty():
        answer = chosen.ask(question, reference_date=today, on_text=lambda piece: click.echo(piece, nl=False))
        click.echo("\n" + "\n".join(str(answer).splitlines()[1:]))
        return
    answer = chosen.ask(question, reference_date=today)
    write([_record(answer, explain=explain)], answer.explain if explain else answer.__str__, as_json=as_json)


def _record(answer: Any, *, explain: bool) -> dict[str, Any]:
    return {**answer.to_dict(), **({"steps": [step.to_dict() for step in answer.steps]} if explain else {})}


def _answer_lines(pipeline: Any, today: date, faulty: Skipped, *, concurrency: int, explain: bool) -> None:
    """One record a question, in order: its own keys, and the answer or the error."""
    from qtie.evaluation.datasets.files import parsed_lines
    from qtie.rag.pipelines import ask_all

    read: list[dict[str, Any]] = []
    n_failed = 0

    def questions() -> Iterator[tuple[str, date | None]]:
        for fields, day in parsed_lines("-", _question_fields, on_error=faulty.on_error):
            read.append(fields)
            yield fields["question"], day or today

    for at, answer in enumerate(ask_all(pipeline, questions(), concurrency=concurrency)):
        fields, read[at] = read[at], {}
        if isinstance(answer, QtieError):
            n_failed += 1
            write_json({**fields, "answer": None, "citations": [], "error": " ".join(str(answer).split())})
        else:
            write_json({**fields, **_record(answer, explain=explain)})
    if n_failed:
        say(f"{n_failed} of {len(read)} questions failed; their records have the error")


def _question_fields(line: str, where: str) -> tuple[dict[str, Any], date | None]:
    """A question, plain or as JSON with `question` and optionally `reference_date`."""
    from qtie.evaluation.datasets.files import json_object

    fields = json_object(line, where) if line.lstrip().startswith("{") else {"question": line.strip()}
    if not isinstance(fields.get("question"), str):
        raise EvaluationError(f"{where}: field 'question': expected a text")
    day = fields.get("reference_date")
    try:
        return fields, None if day is None else date.fromisoformat(day)
    except (TypeError, ValueError):
        raise EvaluationError(f"{where}: reference_date must be YYYY-MM-DD, not {day!r}") from None


def _reader(llm: str | None, options: LlmOptions, **named: str | None) -> tuple[Any, int]:
    """What reads, and how many questions are under way at a time."""
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if not llm:
        from qtie.rag.extractive import ExtractiveReader

        if given:
            raise ConfigError(f"--{next(iter(given)).replace('_', '-')} goes with --llm")
        return ExtractiveReader(), 1
    from qtie.rag.llm_reader import LlmReader

    options = replace(options, **given)
    if llm.startswith(("http://", "https://")):
        return LlmReader(make_chat("openai", replace(options, base_url=llm))), options.concurrency
    if llm.endswith(".gguf") and not Path(llm).is_file():
        raise ConfigError(f"{llm}: no such file")
    if Path(llm).is_file() and not llm.endswith(".gguf"):
        raise ConfigError(f"{llm}: neither a GGUF file nor a model's folder")
    is_gguf = llm.endswith(".gguf") and find_spec("xllamacpp") is not None
    return LlmReader(make_chat("llama-cpp" if is_gguf else "transformers", replace(options, model=llm))), 1


def _searcher(corpus: str | None, store: str | None, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    if corpus and store:
        raise ConfigError("give CORPUS or --store, not both")
    if store:
        return make_store_searcher(store, options)
    if corpus is None:
        say("no corpus named: asking the sample corpus")
        corpus = str(files("qtie") / "sample" / "corpus.jsonl")
    return make_searcher(corpus, options)
