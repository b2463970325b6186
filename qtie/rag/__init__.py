"""Answers from dated passages: retrieval by topic and time, a reader, and citations that carry their dates.

`passage.py` is what readers read, `reader.py` the protocol; `extractive.py` reads without a language model
(`sought.py`, `candidates.py`, on the linguistics of `wording/`), `llm_reader.py` (on `prompt.py`) with one.
`pipeline.py` and `iterative.py` retrieve and ask them (`tense.py`, `asked_time.py`: which time is meant;
`conflicts.py`: facts that change), `pipelines.py` makes them by name, `answer.py` is what comes out.
"""
