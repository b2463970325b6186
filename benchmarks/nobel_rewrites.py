"""Complex rewrites of the Nobel benchmark's simple queries: how many each kind has, and examples.

`data/nobel_frames.jsonl` has the frames, written from the intent specification alone; `qtie.evaluation.datasets`
applies them (`nobel_rewrites`), and `tests/test_nobel_frames.py` checks each by the numbers that stand in its text.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report import REPOSITORY, parser, print_table

from qtie.evaluation.datasets.nobel_rewrites import Frame, Rewrite, read_frames, rewritten

__all__ = ["Frame", "Rewrite", "load_frames", "read_lines", "rewritten"]

FRAMES = REPOSITORY / "benchmarks" / "data" / "nobel_frames.jsonl"
N_EXAMPLES = 30


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    folder, frames = arguments.data_dir / "nobel_prize", load_frames()
    rewrites = rewritten(
        read_lines(folder / "queries.jsonl"), read_lines(folder / "query_analysis.jsonl"), frames, arguments.seed
    )
    print_table(
        shares(frames, rewrites), title=f"{len(frames)} frames, {len(rewrites)} rewrites, seed {arguments.seed}"
    )
    print(f"\n{N_EXAMPLES} examples\n")
    for rewrite in random.Random(arguments.seed).sample(rewrites, min(N_EXAMPLES, len(rewrites))):
        print(f"{rewrite.interval}  {rewrite.text}")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load_frames(path: Path = FRAMES) -> list[Frame]:
    return read_frames(path)


def shares(frames: Sequence[Frame], rewrites: Sequence[Rewrite]) -> list[dict[str, Any]]:
    """How many frames and rewrites each operator has, the most frequent first."""
    n_frames, n_rewrites = (Counter(item.operator for item in items) for items in (frames, rewrites))
    return [
        {
            "operator": name,
            "frames": n_frames[name],
            "rewrites": n_rewrites[name],
            "%": 100 * n_rewrites[name] / len(rewrites),
        }
        for name in sorted(n_frames, key=lambda name: (-n_rewrites[name], name))
    ]


if __name__ == "__main__":
    main()
