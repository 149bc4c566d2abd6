"""Pages for a browser."""

from __future__ import annotations

import os
import pathlib
import tempfile


class Page(os.PathLike):
    """A page in a file: a notebook shows it, `open` a browser."""

    def __init__(self, path: str | os.PathLike | None):
        if path is None:
            handle, path = tempfile.mkstemp(suffix=".html", prefix="tilespmv-")
            os.close(handle)
        self.path = os.fspath(path)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<tilespmv page {self.path}>"

    def open(self) -> None:
        """Shows it in the browser of this machine."""
        import webbrowser

        webbrowser.open(pathlib.Path(self.path).resolve().as_uri())

    def _repr_html_(self) -> str:
        import html

        page = html.escape(pathlib.Path(self.path).read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" title="tilespmv" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'
