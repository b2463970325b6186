"""Training a temporal retriever from questions: `qtie train retriever`. Seeded, goes on after a stop, runs on a CPU."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from qtie.errors import ConfigError
from qtie.retrieval.temporal.contrastive import ContrastiveRecipe, Towers, Triple, train_contrastive, triples_digest
from qtie.retrieval.temporal.date_fusion import date_fusion
from qtie.retrieval.temporal.folder import DOCUMENT_TOWER, MARK, ROUTER
from qtie.retrieval.temporal.network import SentenceNetwork, averaged
from qtie.retrieval.temporal.questions import SPECIFIERS, RetrievalQuestion
from qtie.retrieval.temporal.recipes import RECIPES
from qtie.retrieval.temporal.router_training import train_router
from qtie.whole_file import check_writable, write_whole

__all__ = ["RetrieverRecipe", "train_retriever", "train_towers"]

Report = Callable[[str], None]
_LINE: Report = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731, T201
_REPORT, _CHECKPOINT = "report.json", "checkpoint.pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverRecipe:
    """Which retriever is trained, and how.

    Raises:
        ConfigError: no such recipe or fusion, or an option that goes with another recipe.
    """

    name: str
    """One of `RECIPES`."""
    date_fusion: str = "concatenation"
    """Of tempretriever: one of `DATE_FUSIONS`."""
    query_tower_only: bool = False
    """Of tscontriever: the documents' vectors stay those of the base."""
    router: bool = False
    """Of tscontriever with its query tower only: queries that ask for no time are sent to the base."""
    training: ContrastiveRecipe = field(default_factory=ContrastiveRecipe)
    """Of tsm: for each specifier."""

    def __post_init__(self) -> None:
        if self.name not in RECIPES:
            raise ConfigError(f"unknown recipe {self.name!r}; one of {', '.join(RECIPES)}")
        date_fusion(self.date_fusion)
        if self.query_tower_only and self.name != "tscontriever":
            raise ConfigError(f"query_tower_only goes with the recipe tscontriever, not with {self.name}")
        if self.router and not self.query_tower_only:
            raise ConfigError("router goes with query_tower_only: there is nothing to choose from otherwise")


def train_retriever(
    questions: Sequence[RetrievalQuestion],
    out: Path,
    *,
    base: str | Path,
    recipe: RetrieverRecipe,
    progress: Report = _LINE,
) -> dict[str, Any]:
    """Train on the questions and write an encoder folder with a report; a run that was stopped goes on.

    The folder is what `load_encoder` reads; the retriever over it is `make_retriever(recipe.name, …)`.

    Args:
        questions: with passages; for tsm, of several specifiers.
        out: the folder; a finished run of the same recipe there is not repeated.
        base: the BERT to start from: an encoder folder, or a name on the hub.
        progress: takes a line at each check.

    Returns:
        The report: recipe, counts, and what was seen at each check.

    Raises:
        ConfigError: the base cannot be loaded, the questions are too few, or the folder holds another run.
        MissingExtraError: torch or transformers is not installed.
    """
    triples = _triples(questions, recipe)
    about = {
        "recipe": asdict(recipe) | {"base": Path(base).name},
        "triples": {name: _described(part) for name, part in triples.items()},
    }
    if (finished := _finished(out, about)) is not None:
        return finished
    mark: dict[str, Any] = {"recipe": recipe.name}
    if recipe.name == "tempretriever":
        mark["date_fusion"] = recipe.date_fusion
    report = about | _fit(triples, out, base, recipe, progress)
    if recipe.router:
        queries = [each.question for each in questions]
        report["router"] = train_router(queries, base, out / ROUTER, seed=recipe.training.seed)
    return _written(out, mark, report)


def train_towers(
    triples: Sequence[Triple], out: Path, *, base: str | Path, recipe: ContrastiveRecipe, progress: Report = _LINE
) -> dict[str, Any]:
    """Train one encoder for both sides on triples of any kind, and write its folder; as `train_retriever` does.

    Raises:
        ConfigError: as `train_retriever`.
        MissingExtraError: torch or transformers is not installed.
    """
    about = {"recipe": asdict(recipe) | {"base": Path(base).name}, "triples": _described(triples)}
    if (finished := _finished(out, about)) is not None:
        return finished
    network = _network(base, recipe)
    towers = Towers(network, network)
    history = train_contrastive(triples, towers, recipe=recipe, checkpoint=out / _CHECKPOINT, progress=progress)
    network.save(out)
    return _written(out, {"recipe": "dense"}, about | {"history": history})


def _described(triples: Sequence[Triple]) -> dict[str, Any]:
    return {"n": len(triples), "sha256": triples_digest(triples)}


def _triples(questions: Sequence[RetrievalQuestion], recipe: RetrieverRecipe) -> dict[str, list[Triple]]:
    """By specifier for tsm, else all under one name."""
    parts = {"all": list(questions)}
    if recipe.name == "tsm":
        parts = {name: [each for each in questions if each.specifier == name] for name in SPECIFIERS}
        parts = {name: part for name, part in parts.items() if part}
        if not parts:
            raise ConfigError(f"tsm needs questions with a specifier, one of {', '.join(SPECIFIERS)}: there is none")
    return {name: RECIPES[recipe.name](part, recipe.training.seed) for name, part in parts.items()}


def _fit(
    triples: dict[str, list[Triple]], out: Path, base: str | Path, recipe: RetrieverRecipe, progress: Report
) -> dict[str, Any]:
    """One run for each part, from the base; their average is written. Returns the runs' histories."""
    states, histories = [], {}
    for number, (name, part) in enumerate(triples.items()):
        network = _network(base, recipe.training)
        documents = _network(base, recipe.training) if recipe.query_tower_only else network
        towers = Towers(
            network,
            documents,
            fusion=recipe.date_fusion if recipe.name == "tempretriever" else "",
            anchors_are_queries=recipe.name != "tscontriever",
            documents_stay=recipe.query_tower_only,
        )
        checkpoint = out / (_CHECKPOINT if len(triples) == 1 else f"checkpoint-{number}.pt")
        progress(f"{recipe.name}, {name}: {len(part)} triples")
        histories[name] = train_contrastive(
            part, towers, recipe=recipe.training, checkpoint=checkpoint, progress=progress
        )
        states.append(network.module.state_dict())
    network.module.load_state_dict(averaged(states) if len(states) > 1 else states[0])
    network.save(out)
    if recipe.query_tower_only:
        documents.save(out / DOCUMENT_TOWER)
    return {"history": histories}


def _write(text: str, file: IO[bytes]) -> None:
    file.write(text.encode())


def _network(base: str | Path, recipe: ContrastiveRecipe) -> SentenceNetwork:
    return SentenceNetwork(base, n_tokens=recipe.n_tokens, n_layers=recipe.n_layers)


def _finished(out: Path, about: dict[str, Any]) -> dict[str, Any] | None:
    """The report of a run that has finished there."""
    path = out / _REPORT
    if not path.exists():
        try:
            check_writable(out)
        except OSError as error:
            raise ConfigError(f"{out}: cannot be written: {error}") from error
        return None
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        same = all(report[name] == json.loads(json.dumps(value)) for name, value in about.items())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: not a report of training: {error!r}") from None
    if not same:
        raise ConfigError(f"{out}: holds a retriever of another recipe or other data; name another folder")
    return report


def _written(out: Path, mark: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """The folder finished: its mark and report stand there, its checkpoints do not."""
    try:
        for name, record in ((MARK, mark), (_REPORT, report)):
            text = json.dumps(record, indent=1) + "\n"
            write_whole(out / name, partial(_write, text))
        for checkpoint in out.glob("checkpoint*.pt"):
            checkpoint.unlink()
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}") from error
    return report
