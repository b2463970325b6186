"""Whether retrievers should be asked a query's words about time: the figures behind `qtie.defaults.DATED_SHARE`.

The sample corpus, whose documents carry dates, and TimeQA, whose times are read from the paragraphs that tell one.
BM25, temporal questions, all settings at their defaults.
"""

from dataclasses import replace

from dense_weight import load_timeqa
from report import REPOSITORY, parser, print_table, write_record
from tune_baselines import MEASURES, Bench

from qtie.evaluation.datasets import load_sample
from qtie.focus_time import with_focus_times


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    timeqa = load_timeqa(arguments.data_dir / "timeqa", arguments.seed)
    dated = replace(timeqa, documents=tuple(with_focus_times(document) for document in timeqa.documents))
    rows = []
    for name, dataset in (("sample", load_sample()), ("timeqa", dated)):
        bench = Bench.of(dataset)
        for strip in (True, False):
            means = bench.means("qtie", {"strip": strip})
            row = {"data": name, "share with a time": bench.pool.dated_share, "words about time": not strip}
            rows.append(row | {measure: 100 * means[measure] for measure in MEASURES})
    print_table(rows, title="With and without the words about time in the semantic query, %")
    files = [REPOSITORY / "qtie" / "sample" / "corpus.jsonl", arguments.data_dir / "timeqa" / "human_corpus.jsonl.gz"]
    write_record("time_words", {"time words": rows}, arguments, data=files)


if __name__ == "__main__":
    main()
