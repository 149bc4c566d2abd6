"""Types of values, and pictures of tiles."""

from __future__ import annotations

import functools

import numpy as np

from . import _core


@functools.lru_cache
def numpy_type(name):
    if str(name) == "bfloat16":
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("NumPy has no bfloat16 of its own: install the package ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def as_type(values, name):
    """Values as the library hands them out: those of 16 bits come as uint16."""
    return values.view(numpy_type(name)) if name.endswith("16") else values


def as_bits(values):
    return values.view(np.uint16) if values.dtype.itemsize == 2 else values


_FIELDS = np.dtype([(name, np.int32) for name in ("row", "col", "nnz", "bytes", "format")])

COLORS = _core.colors  # as in pages of `view`


def selector_name(selector):
    return _core.default_selector if selector is None else str(selector)


def tile_map(matrix, selector):
    records = matrix._core.tiles(selector_name(selector))
    tiles = records.view(_FIELDS).reshape(-1)
    if matrix._is_transposed:
        raise ValueError("tile_map shows the matrix, not its transpose")
    return tiles


def image(matrix, tiles, most=512):
    """The grid of tiles, or of squares of tiles, as RGB: the colour is the format of most nonzeros, faint where there are
    few. Returns it with the tiles on an edge of a square."""
    grid = [-(-n // 16) for n in matrix.shape]
    edge = max(1, -(-max(grid) // most))
    height, width = (max(1, -(-n // edge)) for n in grid)
    names = _core.format_names()
    cell = (tiles["row"] // edge).astype(np.int64) * width + tiles["col"] // edge
    weights = np.zeros((len(names), height * width))
    for number in range(len(names)):
        of = tiles["format"] == number
        weights[number] = np.bincount(cell[of], tiles["nnz"][of], height * width)
    total = weights.sum(0)
    colors = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in COLORS])[np.arange(len(names)) % len(COLORS)]
    full = total.max() if total.size and total.max() > 0 else 1
    strength = np.where(total > 0, 0.35 + 0.65 * np.sqrt(total / full), 0)[:, None]
    rgb = 255 + (colors[weights.argmax(0)] - 255) * strength
    return rgb.round().astype(np.uint8).reshape(height, width, 3), edge


def plot(matrix, ax, selector):
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    tiles = tile_map(matrix, selector)
    picture, edge = image(matrix, tiles)
    if ax is None:
        ax = plt.subplots(figsize=(6, 6))[1]
    rows, cols = picture.shape[0] * edge * 16, picture.shape[1] * edge * 16
    ax.imshow(picture, extent=(0, cols, rows, 0), interpolation="nearest", aspect="equal" if rows < 4 * cols < 16 * rows else "auto")
    ax.set(xlim=(0, matrix.shape[1]), ylim=(matrix.shape[0], 0), xlabel="column", ylabel="row")
    names = _core.format_names()
    share = np.bincount(tiles["format"], tiles["nnz"], len(names)) / max(1, matrix.nnz)
    ax.legend(
        handles=[Patch(color=COLORS[i % len(COLORS)], label=f"{names[i]} {share[i]:.0%}") for i in np.flatnonzero(share)],
        title="nonzeros in tiles",
        loc="upper left",
        bbox_to_anchor=(1.02, 1),
        frameon=False,
    )
    ax.set_title(f"{matrix.shape[0]:,} x {matrix.shape[1]:,}, {matrix.nnz:,} nonzeros")
    return ax


def _png(picture):
    import struct
    import zlib

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def html(matrix):
    """A short description beside the map of tiles, for a notebook."""
    import base64

    of = matrix.T if matrix._is_transposed else matrix
    tiles = tile_map(of, None)
    names = _core.format_names()
    held = np.bincount(tiles["format"], tiles["nnz"], len(names))
    rows = "".join(
        f'<tr><td style="color:{COLORS[i % len(COLORS)]}">&#9632; {names[i]}</td><td>{held[i] / max(1, of.nnz):.1%}</td></tr>'
        for i in np.flatnonzero(held)
    )
    data = base64.b64encode(_png(image(of, tiles, 256)[0])).decode()
    title = repr(matrix).replace("<", "&lt;").replace(">", "&gt;")
    return (
        f'<div>{title}, operator {matrix.operator}<br><img alt="map of tiles" src="data:image/png;base64,{data}" '
        f'style="image-rendering:pixelated;width:256px;border:1px solid #ccc;float:left;margin-right:1em">'
        f"<table>{rows}</table></div>"
    )
