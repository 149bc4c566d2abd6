"""Charts of a profile of ``tilespmv tune``, whose parts selector/models/PROFILE.md describes."""

from __future__ import annotations

from ._charts import Chart, scatter


def times_of(matrix: dict, key: str) -> dict:
    """Seconds by operator, measured ("seconds") or predicted, of the operators that have both."""
    return {p["operator"]: p[key] for p in matrix["products"] if "error" not in p and p["held_out_s"] > 0}


def prediction_charts(profile: dict) -> list[Chart]:
    """Times that models of the other matrices predict over those measured, an operator a series."""
    charts = []
    for values in dict.fromkeys(matrix["values"] for matrix in profile["matrices"]):
        series: dict = {}
        for matrix in profile["matrices"]:
            predicted = times_of(matrix, "held_out_s")
            for operator, seconds in times_of(matrix, "seconds").items():
                point = (matrix["features"]["nnz"], predicted[operator] / seconds, False)
                if matrix["values"] == values:
                    series.setdefault(operator, []).append(point)
        if series:
            title, where = f"Predicted time of a product over the measured one, {values}", profile["probe"]["name"]
            figure = scatter(
                title, where, series, "nonzeros", "by models of other matrices", reference=(1, "as measured")
            )
            charts.append(Chart(f"predictions-{values}", figure))
    return charts or [Chart("predictions", None, "no product has a time that other matrices predict")]


def choices_chart(profile: dict) -> Chart:
    """What the operator of the least predicted time takes over the fastest, a type of values a series."""
    series: dict = {}
    for matrix in profile["matrices"]:
        predicted, measured = times_of(matrix, "held_out_s"), times_of(matrix, "seconds")
        if len(measured) > 1:
            loss = measured[min(predicted, key=predicted.get)] / min(measured.values())
            series.setdefault(matrix["values"], []).append((matrix["features"]["nnz"], loss, False))
    if not series:
        return Chart("choices", None, "no matrix has times of several operators")
    title, where = "Time of the operator that models of other matrices choose", profile["probe"]["name"]
    figure = scatter(title, where, series, "nonzeros", "over the fastest", unit="×", reference=(1, "the fastest"))
    return Chart("choices", figure)


def profile_charts(profile: dict) -> list[Chart]:
    return [*prediction_charts(profile), choices_chart(profile)]
