"""Events to dates: a question that names an event ("during the war") gets the event's days in its place.

`rewriter.py` has the records and the protocol, `wording.py` puts dates into a question, `extractor.py` joins a rewriter
with any extractor. What an event's days are is said by `lexicon.py`, `grounding.py` (documents) or `llm_rewriter.py`.
"""
