"""Language models as extractors, prompted and tuned, beside ours: the paper's month pairs, and day pairs.

As the tables of Q-TIE (arXiv 2609.23880) have them: exact match of the start, of the end and of both, on TDBench
questions of subjects that no tuning has seen (`split_by_subject`, a fifth of the questions, 300 of them, the same for
all). "As repaired" reads every answer leniently; what it adds to "both" failed by its format alone. The labels say
what the SQL asks, which a wording does not always tell: no reader of the wording alone reaches 100.

A language model is a `--llm` of settings, for example

    --llm name="SmolLM2-135M, four-shot,model=SmolLM2-135M-Instruct.Q4_1.gguf,shots=4"

with `name`, `model` and, where wanted, `adapter`, `shots`, `template=1` (the model's chat template) and
`granularity=day`. Each is measured in a process of its own, once: what is measured already is kept in `.cache/tie_llm`.
`--run FOLDER` adds a run of `qtie train lora`, ended or not, to the table of accuracy by step.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from report import REPOSITORY, parser, print_table, sha256, write_record

from qtie.intent import TemporalIntent
from qtie.tie.accuracy import Share
from qtie.tie.answers import Answered, answered, shares_right
from qtie.tie.extractors import EXTRACTORS, extract_all, make_extractor
from qtie.tie.labelled import LabelledQuery, read_labelled_queries, split_by_subject
from qtie.tie.prompt import Bounds, Unit

N_QUERIES = 300
CACHE = REPOSITORY / ".cache" / "tie_llm"


def main() -> None:
    arguments = _arguments()
    if arguments.measure:
        print(json.dumps(_measured(json.loads(arguments.measure), arguments)))
        return
    ours = [{"name": name, "granularity": unit} for unit in ("month", "day") for name in EXTRACTORS]
    rows = {unit: [] for unit in ("month", "day")}
    for settings in [*map(_settings, arguments.llm), *ours]:
        rows[settings["granularity"]].append(_in_a_process(settings, arguments))
    for unit, table in rows.items():
        title = f"TDBench, {N_QUERIES} held-out questions by subject, seed {arguments.seed}: {unit} pairs exact, %"
        print_table([row["shown"] for row in table], title=title)
    steps = [row for run in arguments.run for row in _by_step(run)]
    print_table(steps, title="Accuracy by training step, month pairs, %")
    results = {"month pairs": rows["month"], "day pairs": rows["day"], "by training step": steps}
    write_record("tie_llm", results, arguments, data=[_items(arguments)])


def _arguments() -> argparse.Namespace:
    arguments = parser(__doc__ or "")
    arguments.formatter_class = argparse.RawDescriptionHelpFormatter
    arguments.add_argument("--llm", action="append", default=[], help="settings of a language model")
    arguments.add_argument("--run", action="append", default=[], type=Path, help="folder that `qtie train lora` wrote")
    arguments.add_argument("--measure", help=argparse.SUPPRESS)
    return arguments.parse_args()


def _settings(text: str) -> dict[str, Any]:
    """Commas separate settings, unless no `name=` follows."""
    settings: dict[str, Any] = {"granularity": "month"}
    key = ""
    for part in text.split(","):
        name, is_setting, value = part.partition("=")
        if is_setting:
            key, settings[name.strip()] = name.strip(), value
        else:
            settings[key] += f",{part}"
    return settings


def _items(arguments: argparse.Namespace) -> Path:
    return Path(arguments.data_dir) / "tdbench" / "items.jsonl"


def _held_out(arguments: argparse.Namespace, unit: Unit) -> list[LabelledQuery]:
    queries = read_labelled_queries(_items(arguments), granularity=unit)
    return split_by_subject(queries, seed=arguments.seed)[1][:N_QUERIES]


def _in_a_process(settings: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """What `_measured` gives; the memory of one model does not count for the next."""
    known = CACHE / f"{_key(settings, arguments)}.json"
    if not known.exists():
        print(f"{settings['name']}, {settings['granularity']} …", file=sys.stderr, flush=True)
        command = [sys.executable, __file__, "--measure", json.dumps(settings)]
        command += ["--seed", str(arguments.seed), "--data-dir", str(arguments.data_dir)]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(output.splitlines()[-1], encoding="utf-8")
    record: dict[str, Any] = json.loads(known.read_text(encoding="utf-8"))
    return record


def _key(settings: dict[str, Any], arguments: argparse.Namespace) -> str:
    """Another one where the weights, the questions, their labels, the prompt or what reads the answers has changed."""
    files = [Path(settings[name]) for name in ("model", "adapter") if name in settings]
    weights = [path for each in files for path in (sorted(each.glob("*.safetensors")) if each.is_dir() else [each])]
    code = [REPOSITORY / "qtie" / "tie" / f"{name}.py" for name in ("prompt", "answers")]
    if "model" not in settings:
        code = sorted(path for path in (REPOSITORY / "qtie" / "tie").rglob("*") if path.suffix in (".py", ".onnx"))
    stamps = [sha256(path) for path in [*weights, *code] if path.is_file()]
    queries = [asdict(query) for query in _held_out(arguments, settings["granularity"])]
    named = {name: value for name, value in settings.items() if name not in ("model", "adapter")}
    told = json.dumps([named, stamps, queries], default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _measured(settings: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    unit: Unit = settings["granularity"]
    queries = _held_out(arguments, unit)
    if "model" in settings:
        rows, seconds, size = _by_language_model(settings, queries)
    else:
        rows, seconds, size = _by_extractor(settings["name"], unit, queries)
    shares = shares_right(rows)
    return {
        "shown": {
            "reader": settings["name"],
            "start": 100 * shares["start"],
            "end": 100 * shares["end"],
            "both": str(Share.of(row.bounds == row.label for row in rows)),
            "both, as repaired": 100 * shares["both, repaired"],
            "outside the format": 100 * (1 - shares["in the format"]),
            "size, MB": size,
            "CPU ms a query": 1000 * seconds / len(queries),
            "peak memory, MB": _peak_memory(),
        },
        "settings": {
            name: Path(value).name if name in ("model", "adapter") else value for name, value in settings.items()
        },
    }


def _peak_memory() -> float:
    """Of this process, from Linux; `getrusage` would count what its parent had before it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) / 1024 if found else float("nan")


def _by_language_model(
    settings: dict[str, Any], queries: Sequence[LabelledQuery]
) -> tuple[list[Answered], float, float]:
    from qtie.llm.transformers import TransformersChat

    chat = TransformersChat(
        settings["model"], adapter=settings.get("adapter"), template=settings.get("template") == "1"
    )
    shots, unit = int(settings.get("shots", 0)), settings["granularity"]
    answered(chat, queries[:1], shots=shots, granularity=unit)  # so that loading is not counted
    start = time.process_time()
    rows = answered(chat, queries, shots=shots, granularity=unit)
    seconds = time.process_time() - start
    n_bytes = sum(parameter.nbytes for parameter in chat.lm.network.parameters())
    return rows, seconds, n_bytes / 1e6


def _by_extractor(name: str, unit: Unit, queries: Sequence[LabelledQuery]) -> tuple[list[Answered], float, float]:
    from qtie.tie.model import WEIGHTS

    extractor = make_extractor(name)
    extractor.extract("won in 1905")
    start = time.process_time()
    intents = extract_all(extractor, [query.query for query in queries], reference_dates=[None] * len(queries))
    seconds = time.process_time() - start
    rows = []
    for query, intent in zip(queries, intents, strict=True):
        bounds = intent.month_pair() if unit == "month" else _days(intent)
        rows.append(
            Answered(
                query_id=query.query_id,
                query=query.query,
                label=query.bounds,
                answer="",
                bounds=bounds,
                repaired=bounds,
            )
        )
    return rows, seconds, 0.0 if name == "grammar" else WEIGHTS.stat().st_size / 1e6


def _days(intent: TemporalIntent) -> Bounds:
    days = intent.interval.to_dict() if intent.interval else {"start": None, "end": None}
    return days["start"], days["end"]


def _by_step(run: Path) -> list[dict[str, object]]:
    """From the answers that the run kept, whether it has ended or not."""
    table: list[dict[str, object]] = []
    for path in sorted(run.glob("step-*/predictions.jsonl"), key=lambda path: int(path.parent.name[5:])):
        rows = [Answered(**json.loads(line, object_pairs_hook=_record)) for line in path.open(encoding="utf-8")]
        shares = {name: 100 * share for name, share in shares_right(rows).items()}
        table.append({"run": run.name, "step": int(path.parent.name[5:]), "n": len(rows)} | shares)
    return table


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in pairs}


if __name__ == "__main__":
    main()
