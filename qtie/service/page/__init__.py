"""The page at `/`: static files, sent as they are; what it shows it asks the service's own routes for.

`routes.py` sends it; its scripts stand here and, where reports and notebooks share them, in `qtie/display`.
"""

from qtie.service.page.routes import is_page, mount_page

__all__ = ["is_page", "mount_page"]
