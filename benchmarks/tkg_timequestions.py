"""TimeQuestions' development questions over its 24,781 facts, without a language model: Hits@1 by type.

    python benchmarks/tkg_timequestions.py

Only the half of the questions whose id hashes to an odd number is scored, and of these only those for which a fact
names a gold answer (`load_timequestions` says how); their share is printed: the figures are not those of the whole set.
Its facts are texts without a mark between subject, predicate and object: they are cut at the first property of Wikidata
that stands in them. Its answers are dates of days and its facts know years: dates are compared by year.
"""

import gzip
import hashlib
import json
import re
from collections import defaultdict
from dataclasses import replace
from statistics import fmean
from typing import Any

from report import parser, print_table, write_record

from qtie.document import Document
from qtie.evaluation.answers import hits_at_k
from qtie.evaluation.datasets import load_dataset
from qtie.retrieval.encoders import load_encoder
from qtie.tie.extractors import make_extractor
from qtie.tkg.fact import Fact
from qtie.tkg.pipeline import TkgOptions, TkgPipeline
from qtie.tkg.store import FactStore

PROPERTIES = [
    *("award received", "position held", "member of sports team", "member of political party", "member of", "spouse"),
    *("nominated for", "winner", "statement is subject of", "contains the administrative territorial entity", "author"),
    *("located in the administrative territorial entity", "replaced by", "replaces", "twinned administrative body"),
    *("educated at", "head of government", "head of state", "end cause", "performer", "country of citizenship"),
    *("cast member", "participant in", "participant", "employer", "followed by", "follows", "unmarried partner"),
    *("number of matches played", "part of", "child", "determination method", "residence", "has part(s)", "has part"),
    *("together with", "place of birth", "place of death", "place of publication", "academic degree", "capital of"),
    *("capital", "notable work", "position played on team / speciality", "owned by", "owner of", "elected in"),
    *("parliamentary term", "electoral district", "named after", "applies to part", "noble title", "work location"),
    *("currency", "occupation", "country", "instance of", "located in", "location", "conflict", "father", "mother"),
    *("sibling", "head coach", "director", "record label", "chairperson", "chief executive officer", "field of work"),
    *("candidacy in election", "candidate", "population", "point in time", "publication date", "inception", "platform"),
    *("language used", "total fertility rate", "inflation rate", "season", "league", "sport", "of", "for work"),
    *("screenwriter", "producer", "composer", "religion", "relative", "operator", "founded by", "legislative body"),
]
_PROPERTY = re.compile(rf"(?<=\s)(?:{'|'.join(map(re.escape, sorted(PROPERTIES, key=len, reverse=True)))})(?=\s)")


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--encoder", default="minilm")
    options = arguments.parse_args()
    dataset = load_dataset("timequestions", options.data_dir)
    store = FactStore.of(map(fact_of, dataset.documents))
    encoder = load_encoder(options.encoder)
    store = store.with_index("fks", encoder, encoder_name=options.encoder)
    pipeline = TkgPipeline(store, make_extractor(), encoder=encoder, options=TkgOptions())
    path = options.data_dir / "timequestions" / "questions_dev.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if is_scored(record)]
    groups: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    n_scored = 0
    for record in records:
        gold = dataset.qrels.get(str(record["id"]))
        if gold is None:
            continue
        n_scored += 1
        answer = pipeline.ask(record["question"])
        answers = [text for each in record["answers"] if (text := answer_text(each))]
        covered = float(any(ranked.fact.fact_id in gold for ranked in answer.facts))
        hits = [hits_at_k(answer.answers, answers, k) for k in (1, 10)] if answers else [0.0, 0.0]
        for group in ("all", *record["types"]):
            groups[group].append((covered, hits[0], hits[1]))
    titles = ("coverage@15", "Hits@1", "Hits@10")
    rows: list[dict[str, Any]] = [
        {"questions": name, "n": len(values)}
        | {title: round(fmean(each[at] for each in values), 4) for at, title in enumerate(titles)}
        for name, values in groups.items()
    ]
    share = round(n_scored / len(records), 4)
    print_table(
        rows, title=f"TimeQuestions dev, {n_scored} of {len(records)} questions ({share}) with a supporting fact"
    )
    results = {"scored": n_scored, "of": len(records), "share": share, "table": rows}
    write_record("tkg_timequestions", results, options, data=[path, path.with_name("facts.jsonl.gz")])


def is_scored(record: dict[str, Any]) -> bool:
    return int(hashlib.sha1(str(record["id"]).encode()).hexdigest(), 16) % 2 == 1


def answer_text(answer: dict[str, str]) -> str:
    """A gold answer as it is compared: a label, or the year of a date."""
    if "label" in answer:
        return answer["label"]
    year = re.match(r"(\d{4})-\d\d-\d\dT", answer.get("value", ""))
    return year[1] if year else ""


def fact_of(document: Document) -> Fact:
    """A fact that is given as one text, cut at the first property in it."""
    text = document.text
    if "significant event" in text:  # "X significant event date of birth": what is said is the event
        subject, _, event = text.partition(" significant event ")
        parts = (subject, event or "significant event", event or subject)
    else:
        match = _PROPERTY.search(text)
        words = text.split()
        middle = match.span() if match else (len(words[0]) + 1, len(words[0]) + 1 + len(words[min(1, len(words) - 1)]))
        parts = (text[: middle[0]].strip(), text[slice(*middle)].strip(), text[middle[1] :].strip())
    subject, predicate, other = (part or "unknown" for part in parts)
    fact = Fact(subject=subject, predicate=predicate, object=other, fact_id=document.doc_id)
    times = [time for given in document.times.values() for time in given]
    if times:
        fact = replace(fact, interval=times[0].interval, lasting=times[0].lasting)
    return fact


if __name__ == "__main__":
    main()
