"""Files that are written whole or not at all, whatever stops the writer."""

from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

__all__ = ["check_writable", "write_whole"]


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """A file that `write` fills, whole or not at all; its folder is made where it is missing.

    Raises:
        OSError: it cannot be written; what stood there before is still there.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "new" / "a.txt", lambda file: file.write(b"all of it"))
        ...     (Path(folder) / "new" / "a.txt").read_text()
        'all of it'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        temporary = Path(file.name)
        try:
            write(file)
            file.flush()
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    temporary.chmod(0o644)
    temporary.replace(path)


def check_writable(folder: Path) -> None:
    """Tries a file in the folder, or in the one that it would be made in, so that long work does not end in a refusal.

    Raises:
        OSError: it takes no file.
    """
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    NamedTemporaryFile(dir=existing, suffix=".tmp").close()
