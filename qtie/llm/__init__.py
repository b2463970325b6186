"""The one door to language models: prompts in, texts out.

`chat.py` is the protocol; `openai.py` (on `event_loop.py`), `transformers.py` and `llama_cpp.py` answer to it,
`cache.py` remembers the answers of any, and `backends.py` makes them from settings.
"""
