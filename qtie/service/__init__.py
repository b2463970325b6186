"""The service: qtie over HTTP in the dialects of well-known re-rankers, as tools for language models, and as a page.

`engine` ranks, `app` is the HTTP face, `mcp` the tools; needs `qtie[serve]`, the tools `qtie[mcp]`.
"""

from qtie.errors import require

require("pydantic", extra="serve")
