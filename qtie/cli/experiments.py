"""The commands of those who compare and choose: `qtie bench`, `qtie tune`."""

import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import say
from qtie.cli.options import check_stdin, load_config, make_searcher, reading_options, retrieval_options
from qtie.whole_file import check_writable

__all__ = ["bench", "tune"]

_File = click.Path(path_type=Path, dir_okay=False)
_ExistingFile = click.Path(path_type=Path, dir_okay=False, exists=True)
_Folder = click.Path(path_type=Path, file_okay=False)
_ExistingFolder = click.Path(path_type=Path, file_okay=False, exists=True)
_PACKAGES = ("qtie", "numpy", "scipy", "bm25s", "ir_measures", "tokenizers")
_SCORING = ("temporal_weight", "fusion", "normalization", "kernel")
_RETRIEVERS, _DATA, _DATA_DIR = "bm25", "sample", Path("../shared/data")


def _names(ctx: click.Context, param: click.Parameter, value: Sequence[str] | None) -> list[str]:
    """Names between commas, or from the option given several times."""
    names = list(dict.fromkeys(name.strip() for part in value or () for name in part.split(",") if name.strip()))
    if value and not names:
        raise click.BadParameter("no name in it", ctx, param)
    return names


def _list_option(flag: str, name: str, help_text: str) -> Callable[[Any], Any]:
    return click.option(flag, name, multiple=True, callback=_names, help=help_text)


@click.command()
@click.argument("experiments", nargs=-1, required=True, metavar="EXPERIMENT...")
@_list_option("--data", "datasets", f"Data sets, between commas.  [default: {_DATA}]")
@click.option("--data-dir", type=_ExistingFolder, help=f"Their folder.  [default: {_DATA_DIR}]")
@_list_option("--retriever", "retrievers", f"bm25, minilm, hybrid, dense:ENCODER, …  [default: {_RETRIEVERS}]")
@_list_option("--ranker", "rankers", "none, qtie, tempralm, mrag, …  [default: all]")
@click.option("--out", type=_Folder, default="bench", show_default=True, help="The folder of the results.")
@click.option("--cache", type=_Folder, default=".cache", show_default=True, help="What is finished stays there.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes at a time.")
@click.option("--frames", type=_ExistingFile, help="Words about time that nobel-complex is made with.")
@click.option("--predictions", multiple=True, type=_ExistingFile, help="What `qtie intent -` wrote; for tie-tir.")
@click.option("--extractor", help="What reads the queries' time.  [default: ensemble]")
@click.option("--queries", "n_queries", type=click.IntRange(1), default=500, show_default=True, help="Of a sample.")
@click.option(
    "--most-embedded",
    type=click.IntRange(0),
    default=50_000,
    show_default=True,
    help="Corpora of more documents get no dense retrieval.",
)
@click.option("--runs/--no-runs", default=True, show_default=True, help="Write TREC runs, 10 MB for 3,000 queries.")
@_list_option("--browse", "browsed", "Data sets whose queries the report shows one by one.  [default: all]")
@click.option("--seed", type=int, default=0, show_default=True)
def bench(
    experiments: Sequence[str], datasets: list[str], data_dir: Path | None, retrievers: list[str], rankers: list[str],
    out: Path, cache: Path, jobs: int, frames: Path | None, predictions: Sequence[Path], extractor: str | None,
    n_queries: int, most_embedded: int, runs: bool, browsed: list[str], seed: int,
) -> None:  # fmt: skip
    """Run experiments on rankers: overall, by-type, fusion, …, or all."""
    from qtie.baselines.registry import RANKERS
    from qtie.evaluation.experiments.experiment import Scope
    from qtie.evaluation.experiments.registry import chosen_experiments
    from qtie.evaluation.experiments.suite import Suite
    from qtie.evaluation.grid.intents import read_predictions
    from qtie.evaluation.grid.run import Grid, Setting
    from qtie.evaluation.report import write_report

    chosen = chosen_experiments(experiments)
    datasets, retrievers, rankers = datasets or [_DATA], retrievers or [_RETRIEVERS], rankers or list(RANKERS)
    _check_names(retrievers, rankers, extractor)
    if unknown := [name for name in browsed if name not in datasets]:
        raise click.BadParameter(f"{unknown[0]!r} is not among --data", param_hint="--browse")
    for path in predictions:
        read_predictions(path)
    for folder, option in ((out, "--out"), (cache, "--cache")):
        _check_folder(folder, option)
    started = time.perf_counter()
    setting = Setting(
        data_dir=data_dir or _DATA_DIR, cache=cache, frames=frames, extractor=extractor, seed=seed, n_processes=jobs
    )
    grid = Grid(setting, datasets, report=say)
    scope = Scope(
        datasets=datasets, retrievers=retrievers, rankers=rankers, surveys=grid.surveys, n_queries=n_queries,
        most_embedded=most_embedded, predictions=[str(path) for path in predictions],
    )  # fmt: skip
    suite = Suite(experiments=chosen, scope=scope, grid=grid)
    suite.run()
    command = " ".join(["qtie", *sys.argv[1:]])
    about = {"command": command, "seconds": time.perf_counter() - started, "versions": _versions()}
    suite.write(out, about=about, browsed=browsed or datasets, runs=runs)
    click.echo(write_report(out))
    failed = [f"{name}: {reason}" for name, reason in suite.failed.items()]
    failed += [f"{cell.dataset}, {cell.retriever}, {cell.ranker}: {reason}" for cell, reason in grid.failed.items()]
    if failed:
        raise click.ClickException(f"{len(failed)} parts failed, the others are written; the first: {failed[0]}")


def _check_names(retrievers: Sequence[str], rankers: Sequence[str], extractor: str | None) -> None:
    """Refuses what is not there before anything is computed."""
    from qtie.baselines.registry import make_ranker
    from qtie.evaluation.grid.semantic_scores import retriever_parts
    from qtie.tie.extractors import make_extractor

    for name in retrievers:
        retriever_parts(name)
    for name in rankers:
        make_ranker(name)
    make_extractor(extractor)


def _check_folder(folder: Path, option: str) -> None:
    """Refuses a folder that takes no files before anything is computed."""
    try:
        check_writable(folder)
    except OSError as error:
        reason = f"{folder}: cannot be written to: {error.strerror or error}"
        raise click.BadParameter(reason, param_hint=option) from error


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("queries", type=click.Path(allow_dash=True))
@retrieval_options
@reading_options
@click.option("--measure", default="nDCG@10", show_default=True, help="What is maximized.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=_File, default=Path("qtie.toml"), show_default=True, help="Where the setting is written.")
@click.option("--overwrite", is_flag=True, help="Replace keys that stand there with another value.")
@click.option("--dry-run", is_flag=True, help="Write nothing.")
def tune(
    qrels: str, corpus: str, queries: str, measure: str, folds: int, seed: int, out: Path, overwrite: bool,
    dry_run: bool, **options: Any,
) -> None:  # fmt: skip
    """Choose weight, kernel, calibration and missing policy on judged QUERIES over CORPUS, by cross-validation."""
    from qtie.evaluation.datasets import Dataset, read_queries
    from qtie.evaluation.trec import read_qrels
    from qtie.evaluation.tuning import check_target, write_setting
    from qtie.evaluation.tuning import tune as tuned

    check_stdin(qrels, corpus, queries)
    if not dry_run:
        check_target(out, overwrite=overwrite)
    config, judged, asked = load_config(options["config_path"]), read_qrels(qrels), tuple(read_queries(queries))
    as_they_are = {"missing": "neutral", "strict": False}  # what is tuned is tried on documents with their own times
    searcher, given = make_searcher(corpus, {**dict.fromkeys(_SCORING), **options, **as_they_are})
    dataset = Dataset(name=corpus, documents=searcher.documents, queries=asked, qrels=judged)
    extract, today = searcher.reranker.extractor.extract, given["reference_date"]
    intents = {q.query_id: extract(q.text, reference_date=q.reference_date or today) for q in asked}
    found = tuned(
        dataset, searcher.retriever, intents=intents, config=config, measure=measure, n_folds=folds, seed=seed
    )
    if n_left := len(asked) - len(found.before):
        say(f"{n_left} of {len(asked)} queries are left out: without judgements, or they ask for no time")
    click.echo(found.table(seed=seed).markdown())
    if dry_run or found.best == found.in_force or found.gain <= 0:
        say("nothing written: " + ("a dry run" if dry_run else "no setting is better than the one in force"))
        return
    write_setting(found.best, out, overwrite=overwrite)
    click.echo(f"{out}: {', '.join(f'{name} = {value}' for name, value in found.best.to_dict().items())}")
    if found.interval(seed=seed)[0] <= 0:
        say("the interval of the gain holds 0: it may be chance")


def _versions() -> dict[str, str]:
    found = {"python": sys.version.split()[0]}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
