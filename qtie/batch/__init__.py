"""The same reading over millions of rows: the input is cut into shards, a `Stage` reads each, a folder keeps the books.

Workers are processes of this machine (`processes`) or actors of a Ray cluster (`cluster`).
"""
