"""How charts look, and how a command writes them."""

from __future__ import annotations

import argparse
import io
import pathlib
import sys
from typing import NamedTuple

from ._core import Error, format_names
from ._tiles import COLORS

MARKERS = "os^D"


class Chart(NamedTuple):
    name: str  # of its file, without a folder and an ending
    figure: object  # of matplotlib; None if there is nothing to draw
    note: str = ""  # why there is no figure


class Failure(Exception):
    """One line that says what is wrong and where."""


def new_figure(title: str, subtitle: str, width=9.6, height=5.6, **grid):
    """A figure of matplotlib and its axes."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    figure.suptitle(f"{title}\n{subtitle}", fontsize=11)
    axes = figure.subplots(**grid)
    return figure, axes


def number_axis(axes, which: str, *, linear=False, unit="") -> None:
    """Ticks at 1, 2 and 5 times powers of ten, over many of them at powers alone, or at even steps; written as 2k, 5M.
    To be called after the points are drawn."""
    from matplotlib import ticker

    axis = getattr(axes, f"{which}axis")
    if not linear:
        axes.set(**{f"{which}scale": "log"})
        low, high = axis.get_view_interval()
        axis.set_major_locator(ticker.LogLocator(subs=(1,) if high > 1e3 * low else (1, 2, 5)))
        axis.set_minor_formatter(ticker.NullFormatter())
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}" + unit) if unit else ticker.EngFormatter(sep=""))
    axis.grid(color="#e6e8eb")
    axes.set_axisbelow(True)


def scatter(
    title, subtitle, series: dict, x_label, y_label, *, unit="", linear=False, reference=None, hollow=""
) -> object:
    """A colour for each series of points (x, y, is hollow); x is logarithmic. reference: a line across, (y, name)."""
    figure, axes = new_figure(title, subtitle)
    size = 45 if sum(map(len, series.values())) <= 200 else 20
    for number, (name, points) in enumerate(series.items()):
        color, marker = COLORS[number % len(COLORS)], MARKERS[number // len(COLORS) % len(MARKERS)]
        x, y, is_hollow = zip(*points)
        faces = ["none" if one else color for one in is_hollow]
        axes.scatter(x, y, size, facecolors=faces, edgecolors=color, marker=marker)
        axes.scatter([], [], size, color=color, marker=marker, label=name)
    number_axis(axes, "x")
    number_axis(axes, "y", linear=linear, unit=unit)
    if reference:
        axes.axhline(reference[0], color="#59636e", linestyle="--", linewidth=1, label=reference[1])
    if any(point[2] for points in series.values() for point in points):
        axes.scatter([], [], size, facecolors="none", edgecolors="#59636e", label=hollow)
    axes.set(xlabel=x_label, ylabel=y_label)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure


def format_color(name: str) -> str:
    """A format keeps its colour whatever else is drawn, the same as in a map of tiles."""
    formats = format_names()
    if name == "deferred":
        return "#b1bac4"
    return COLORS[(formats.index(name) if name in formats else len(formats)) % len(COLORS)]


def bars(title, subtitle, shares: dict, legend, x_label) -> object:
    """A bar for each matrix, of its shares by name: {matrix: {name: share}}."""
    figure, axes = new_figure(title, subtitle, height=1.6 + 0.25 * len(shares))
    names = list(dict.fromkeys(name for parts in shares.values() for name in parts))
    start = [0.0] * len(shares)
    for name in names:
        widths = [parts.get(name, 0.0) for parts in shares.values()]
        axes.barh(range(len(shares)), widths, left=start, color=format_color(name), label=name)
        start = [a + b for a, b in zip(start, widths)]
    axes.set(yticks=range(len(shares)), yticklabels=shares, xlim=(0, 1), xlabel=x_label)
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter("{x:.0%}")
    figure.legend(title=legend, loc="outside right upper", frameon=False, fontsize=8)
    return figure


def draw(make_charts, options) -> None:
    """Writes charts into a folder, made if it is missing, and says their names."""
    import matplotlib

    # Names are shown as they are, and the texts of an SVG stay texts.
    with matplotlib.rc_context({"text.parse_math": False, "svg.fonttype": "none"}):
        charts = make_charts()
        if not any(chart.figure for chart in charts):
            raise Failure("there is no right result that could be drawn")
        options.output.mkdir(parents=True, exist_ok=True)
        for chart in charts:
            file = options.output / f"{chart.name}.{options.format}"
            if chart.figure is None:
                print(f"{file} left out: {chart.note}", file=sys.stderr)
                continue
            picture = io.BytesIO()
            chart.figure.savefig(picture, format=options.format, dpi=150)
            file.write_bytes(picture.getvalue())
            print(file)


def run(name: str, call) -> None:
    """Calls a command; what goes wrong is one line, and exit code 1."""
    try:
        call()
    except (Failure, Error) as failure:
        sys.exit(f"{name}: {failure}")
    except OSError as error:
        sys.exit(f"{name}: {error.filename}: {error.strerror}")
    except ImportError as error:
        sys.exit(f"{name}: {error}; charts need the package matplotlib")


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", required=True, type=pathlib.Path, metavar="FOLDER", help="made if it is missing"
    )
    parser.add_argument("--format", choices=["svg", "png"], default="svg", help="of the pictures (default: svg)")
