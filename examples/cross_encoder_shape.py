"""For code that calls a cross-encoder: the same two methods, with time. Needs nothing but qtie.

It prints:

    Jonas Weber takes over the ministry.
    [1.0, 0.07]
"""

from qtie.integrations.cross_encoder import TemporalCrossEncoder

notes = [
    {"text": "Elke Brandt leads the ministry.", "published_at": "2019-05-06"},
    {"text": "Jonas Weber takes over the ministry.", "published_at": "2016-03-14"},
]
encoder = TemporalCrossEncoder()  # or TemporalCrossEncoder(CrossEncoder("…")), and both scores count
best = encoder.rank("who led the ministry in 2016", notes, top_k=1, return_documents=True)[0]
print(best["text"]["text"])
print([round(score, 2) for score in encoder.predict([("minister in 2019", note) for note in notes])])
