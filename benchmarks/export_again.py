"""A trained file as this version exports it: the same weights, tokenizer and calibration, and the same readings.

Ends with an error where a logit of the development queries differs: each query by itself as it was, all of them
together as written.

    python benchmarks/export_again.py qtie/tie/weights/tie-en.onnx OUT/tie-en.onnx
"""

import argparse
import json
from pathlib import Path

import numpy as np

from qtie.errors import require
from qtie.tie.encoder import TieModel
from qtie.tie.export import export, restored
from qtie.tie.model import ModelExtractor

DEV_FILES = sorted((Path(__file__).parent / "data").glob("intent_dev*.jsonl"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trained", type=Path)
    arguments.add_argument("out", type=Path)
    given = arguments.parse_args()
    before = TieModel.load(given.trained)
    metadata = require("onnx", extra="train").load(given.trained).metadata_props
    about = next(entry.value for entry in metadata if entry.key == "about")
    network, tokenizer = restored(given.trained)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    export(network, given.out, tokenizer=tokenizer, calibration=before.calibration, about=json.loads(about))
    queries = [json.loads(line)["query"] for file in DEV_FILES for line in file.read_text("utf-8").splitlines()]
    alone, together = ModelExtractor(before), ModelExtractor(given.out)
    old, new = map(alone.explain, queries), together.explain_batch(queries)
    differing = sum(not np.array_equal(one.logits, other.logits) for one, other in zip(old, new, strict=True))
    if differing:
        arguments.error(f"{differing} of {len(queries)} queries have other logits")
    print(f"{given.out}: {given.out.stat().st_size} bytes, the same logits on {len(queries)} queries")


if __name__ == "__main__":
    main()
