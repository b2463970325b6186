"""The rules that read English, in the order in which they are applied: spelling, masks, dates, relative dates,
parts of dates, operators, clauses. The examples of every rule stand in `examples.jsonl` and `negatives.jsonl`.
"""
