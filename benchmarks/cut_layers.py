"""A language model's lowest layers alone, as a folder that `transformers` loads: another backbone of the same family.

python benchmarks/cut_layers.py SmolLM2-135M-Instruct.Q4_1.gguf 12 .cache/smollm2-12
"""

import argparse
from pathlib import Path

from qtie.llm.transformers import CausalLm


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", help="folder, GGUF file or hub name")
    arguments.add_argument("n_layers", type=int)
    arguments.add_argument("out", type=Path)
    given = arguments.parse_args()
    lm = CausalLm.load(given.model)
    config, decoder = lm.network.config, lm.network.get_decoder()
    if not 0 < given.n_layers <= len(decoder.layers):
        arguments.error(f"n_layers must be from 1 to {len(decoder.layers)}")
    decoder.layers = decoder.layers[: given.n_layers]
    config.num_hidden_layers = given.n_layers
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: given.n_layers]
    lm.network.save_pretrained(given.out)
    lm.tokenizer.save_pretrained(given.out)
    print(f"{given.out}: {given.n_layers} layers, {lm.network.num_parameters() / 1e6:.0f} million parameters")


if __name__ == "__main__":
    main()
