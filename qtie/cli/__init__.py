"""The command line: a pipe. Results alone go to stdout; an error is one line on stderr and exit status 2.

One file a group of commands; `main.py` lists them all, `options.py` and `console.py` hold what they share.
"""

from qtie.cli.main import main

__all__ = ["main"]
