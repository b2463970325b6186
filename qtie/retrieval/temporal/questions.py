"""Questions with the passages that answer them at the asked time, and those that do not: what retrievers train on."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qtie.corpus import read_lines
from qtie.errors import DocumentError

__all__ = ["SPECIFIERS", "RetrievalQuestion", "read_questions", "specifier_of"]

SPECIFIERS = {
    "in early": r"\bin early\b",
    "in late": r"\bin late\b",
    "between": r"\bbetween\b.+\band\b",
    "from-to": r"\bfrom\b.+\bto\b",
    "before": r"\bbefore\b",
    "after": r"\bafter\b",
    "in": r"\bin\b",
}
"""The words before a time that TSM has one encoder each for, with their patterns; the first that fits counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQuestion:
    """A question that asks for a time, with passages."""

    question: str
    positives: tuple[str, ...]
    """Passages that answer it, at least one."""
    negatives: tuple[str, ...] = ()
    """Passages that do not: of another time, or of another topic."""
    specifier: str = ""
    """One of `SPECIFIERS`; "" for another."""


def read_questions(source: Path | str) -> list[RetrievalQuestion]:
    """The questions of a file of JSON lines, or of all `.jsonl` and `.jsonl.gz` files of a folder, in order of names.

    A line has `question`, `positives` and, optionally, `negatives` and `specifier`, which else is read from the
    question.

    Raises:
        DocumentError: a file cannot be read or is empty, or a line is faulty; names file, line and field.
    """
    folder = Path(source)
    files = [source]
    if str(source) != "-" and folder.is_dir():
        files = sorted(file for file in folder.iterdir() if file.name.endswith((".jsonl", ".jsonl.gz")))
    questions = [_question(line, where) for file in files for where, line in read_lines(file) if line.strip()]
    if not questions:
        raise DocumentError(f"{source}: no questions in it")
    return questions


def specifier_of(question: str) -> str:
    """The specifier that stands before the question's time, one of `SPECIFIERS`; "" for another.

    Example:
        >>> specifier_of("Who led the club from 1990 to 1995?"), specifier_of("Who led it in late 1990s?")
        ('from-to', 'in late')
    """
    return next((name for name, pattern in SPECIFIERS.items() if re.search(pattern, question, re.IGNORECASE)), "")


def _question(line: str, where: str) -> RetrievalQuestion:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise DocumentError(f"{where}: not JSON: {error}") from None
    if not isinstance(record, Mapping):
        raise DocumentError(f"{where}: expected an object")
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise DocumentError(f"{where}: field 'question': expected a text")
    positives = tuple(_texts(record, "positives", where))
    if not positives:
        raise DocumentError(f"{where}: field 'positives': expected at least one text")
    specifier = record.get("specifier") or specifier_of(question)
    if specifier not in ("", *SPECIFIERS):
        raise DocumentError(f"{where}: field 'specifier': one of {', '.join(SPECIFIERS)}, not {specifier!r}")
    negatives = tuple(text for text in _texts(record, "negatives", where) if text not in positives)
    return RetrievalQuestion(question=question, positives=positives, negatives=negatives, specifier=specifier)


def _texts(record: Mapping[str, Any], field: str, where: str) -> Iterator[str]:
    texts = record.get(field) or ()
    if not isinstance(texts, Sequence) or isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise DocumentError(f"{where}: field {field!r}: expected a list of texts")
    yield from (text for text in texts if text.strip())
