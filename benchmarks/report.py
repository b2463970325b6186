"""What every benchmark does: arguments, a table on stdout, and a JSON record with versions and data hashes."""

import argparse
import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS = REPOSITORY / "benchmarks" / "results"
PACKAGES = (
    *("qtie", "numpy", "bm25s", "ir_measures", "pytrec_eval-terrier", "onnxruntime", "tokenizers"),
    *("torch", "transformers", "peft", "gguf"),
)


def parser(description: str) -> argparse.ArgumentParser:
    """Arguments with the options that all benchmarks share."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument(
        "--data-dir",
        type=Path,
        default=REPOSITORY.parent / "shared" / "data",
        help="folder of the data sets (default: ../shared/data beside the repository)",
    )
    arguments.add_argument("--out", type=Path, default=RESULTS, help="folder of the JSON record")
    arguments.add_argument("--seed", type=int, default=0)
    return arguments


def print_table(rows: Sequence[Mapping[str, Any]], *, title: str = "") -> None:
    """The rows as a Markdown table, numbers with as many digits as they need."""
    if title:
        print(f"\n{title}\n")
    if not rows:
        print("(nothing)")
        return
    names = list(rows[0])
    cells = [names, *[[_cell(row.get(name, "")) for name in names] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print("\n".join(lines))


def write_record(name: str, results: Mapping[str, Any], arguments: argparse.Namespace, *, data: Iterable[Path]) -> None:
    """Writes `<out>/<name>.json`: the results with command, versions, seed and the hash of each data file."""
    record = {
        "benchmark": name,
        "command": " ".join(["python", *_relative_command()]),
        "seed": arguments.seed,
        "versions": versions(),
        "data": {path.name: sha256(path) for path in data},
        "results": results,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\n{record['command']}\nseed {arguments.seed}; {', '.join(f'{k} {v}' for k, v in versions().items())}")
    print("\n".join(f"{file} {digest[:16]}" for file, digest in record["data"].items()))
    print(f"written to {path}")


def versions() -> dict[str, str]:
    """Of Python, the machine and the packages that the numbers depend on."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def sha256(path: Path) -> str:
    """The file's SHA-256 in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _relative_command() -> list[str]:
    script = Path(sys.argv[0]).resolve()
    name = str(script.relative_to(REPOSITORY)) if script.is_relative_to(REPOSITORY) else script.name
    return [name, *sys.argv[1:]]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
    return str(value)
