// A chart: axes, lines and points that say what they are under the pointer and by the arrow keys.

// Maps lo..hi to pixels from..to.
function makeScale(kind, lo, hi, from, to) {
  const isLog = kind === "log";
  const f = isLog ? Math.log10 : (value) => value;
  const share = (value) => (f(value) - f(lo)) / (f(hi) - f(lo) || 1);
  const inverse = (pixel) => {
    const at = f(lo) + (pixel - from) / (to - from) * (f(hi) - f(lo));
    return isLog ? 10 ** at : at;
  };
  return {
    at: (value) => from + share(value) * (to - from),
    inverse,
    lo,
    hi,
    isLog,
    ticks: () => (isLog ? logTicks(lo, hi) : linearTicks(lo, hi))
  };
}

// All that lies within the range; `logTicks` names 1, 2 and 5 where powers of ten are few.
function logTicks(lo, hi) {
  const ticks = [];
  const factors = Math.log10(hi / lo) > 3.3 ? [1] :
      Math.log10(hi / lo) > 0.7             ? [1, 2, 5] :
                                              [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
  for (let power = Math.floor(Math.log10(lo)); power <= Math.ceil(Math.log10(hi)); ++power) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** power).toPrecision(6));
      if (tick >= lo * 0.999 && tick <= hi * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}
function linearTicks(lo, hi) {
  const rough = (hi - lo) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const ticks = [];
  for (let i = Math.ceil(lo / step); i * step <= hi * (1 + 1e-9); ++i) ticks.push(Number((i * step).toPrecision(9)));
  return ticks;
}

// The range of values, with some room; a linear one begins at 0.
function rangeOf(values, kind) {
  let lo = Infinity, hi = -Infinity;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    lo = Math.min(lo, value);
    hi = Math.max(hi, value);
  }
  if (lo > hi) return [1, 10];
  return kind === "log" ? [lo / 1.15, hi * 1.15] : [0, hi * 1.04];
}

// Outlines around the origin, each with one "M", so that points can be counted.
const outlines = {
  circle: (r) => `m${- r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${- 2 * r} 0z`,
  square: (r) => `m${- r} ${- r}h${2 * r}v${2 * r}h${- 2 * r}z`,
  cross: (r) => `m${- r} ${- r}l${2 * r} ${2 * r}m${- 2 * r} 0l${2 * r} ${- 2 * r}`,
};

// Points of one look as one path. group: {points: [{x, y, facts}], look, outline, radius, of}
function pointsPath(group, plot) {
  const outline = outlines[group.outline ?? "circle"](group.radius ?? 3);
  const d = group.points.map((p) => `M${plot.x.at(p.x).toFixed(1)} ${plot.y.at(p.y).toFixed(1)}` + outline).join("");
  return svg("path", {class: "points " + group.look, d, "data-of": group.of});
}

function axes(plot, xTitle, yTitle, format) {
  const {x, y, box} = plot;
  const parts = [];
  let taken = -Infinity;
  for (const tick of x.ticks()) {
    const text = format.x(tick);
    const at = x.at(tick);
    parts.push(svg("line", {class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom}));
    const half = text.length * 3.6;
    if (at - half < taken || at + half > plot.width) continue;
    taken = at + half + 8;
    parts.push(svg("text", {x: at, y: box.bottom + 16, "text-anchor": "middle"}, text));
  }
  let lowest = Infinity;
  for (const tick of y?.ticks() ?? []) {
    const at = y.at(tick);
    parts.push(svg("line", {class: "grid", x1: box.left, x2: box.right, y1: at, y2: at}));
    if (at > lowest) continue;
    lowest = at - 16;
    parts.push(svg("text", {x: box.left - 6, y: at + 4, "text-anchor": "end"}, format.y(tick)));
  }
  parts.push(
      svg("rect", {class: "frame", x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top}),
      svg("text", {class: "title", x: box.right, y: plot.height - 4, "text-anchor": "end"}, xTitle),
      y ? svg("text", {class: "title", x: 2, y: 13}, yTitle) : null);
  return parts;
}

// Draws into `holder`. spec: {name, label, x, y: {range, title, format}, no y without points, height, below: pixels
// between the axis and its title, groups, lines: (plot) => elements below the points, extras: (plot) => elements
// outside the frame}.
function drawChart(holder, spec) {
  const width = Math.max(holder.clientWidth || spec.width || 900, 320);
  const height = spec.height;
  const box = {left: 74, right: width - 12, top: 24, bottom: height - 38 - (spec.below ?? 0)};
  const kind = page.state.scale;
  const plot = {
    width,
    height,
    box,
    x: makeScale(kind, ...spec.x.range, box.left, box.right),
    y: spec.y && makeScale(spec.y.kind ?? kind, ...spec.y.range, box.bottom, box.top)
  };
  const clip = "clip-" + (drawChart.count = (drawChart.count ?? 0) + 1);
  const inner =
      svg("g", {"clip-path": `url(#${clip})`}, spec.lines?.(plot) ?? [],
          spec.groups.map((group) => pointsPath(group, plot)));
  const root = svg(
      "svg", {
        class: "chart",
        viewBox: `0 0 ${width} ${height}`,
        tabindex: 0,
        role: "img",
        "aria-label": spec.label + ". The arrow keys go from point to point.",
        "data-chart": spec.name
      },
      svg("defs", {}, svg("clipPath", {id: clip}, svg("rect", {
                            x: box.left - 4,
                            y: box.top - 4,
                            width: box.right - box.left + 8,
                            height: box.bottom - box.top + 8
                          }))),
      axes(plot, spec.x.title, spec.y?.title, {x: spec.x.format, y: spec.y?.format}), inner, spec.extras?.(plot) ?? []);
  holder.replaceChildren(root);
  makeReadable(root, plot, spec.groups);
}

// Shows the facts of the nearest point, and lights what belongs to it.
function makeReadable(root, plot, groups) {
  const ring = svg("circle", {class: "ring", r: 6, visibility: "hidden"});
  root.append(ring);
  const marks =
      groups
          .flatMap(
              (group) =>
                  group.points.map((point) => ({point, of: group.of, x: plot.x.at(point.x), y: plot.y.at(point.y)})))
          .filter(
              (mark) => mark.x >= plot.box.left - 4 && mark.x <= plot.box.right + 4 && mark.y >= plot.box.top - 4 &&
                  mark.y <= plot.box.bottom + 4);
  marks.sort((a, b) => a.x - b.x || b.y - a.y);
  let current = -1;
  const light = (of) => {
    for (const one of root.querySelectorAll("[data-of]"))
      one.classList.toggle("lit", of !== undefined && one.dataset.of === of);
  };
  const hide = () => {
    current = -1;
    ring.setAttribute("visibility", "hidden");
    light(undefined);
    hideTip();
  };
  const show = (index) => {
    current = index;
    const mark = marks[index];
    for (const [name, value] of [["cx", mark.x], ["cy", mark.y], ["visibility", "visible"]])
      ring.setAttribute(name, value);
    light(mark.of);
    const area = root.getBoundingClientRect();
    showTip(
        mark.point.facts(), area.left + mark.x * area.width / plot.width,
        area.top + mark.y * area.height / plot.height);
  };
  root.addEventListener("pointermove", (event) => {
    const area = root.getBoundingClientRect();
    const x = (event.clientX - area.left) * plot.width / area.width,
          y = (event.clientY - area.top) * plot.height / area.height;
    let best = -1, least = 16 ** 2;
    marks.forEach((mark, i) => {
      const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    best < 0 ? hide() : best === current || show(best);
  });
  root.addEventListener("pointerleave", hide);
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (event) => {
    const turn = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
    if (event.key === "Escape") hide();
    if (!turn || marks.length === 0) return;
    event.preventDefault();
    show((current < 0 && turn < 0 ? marks.length - 1 : current + turn + marks.length) % marks.length);
  });
}

function showTip(facts, x, y) {
  const tip = document.getElementById("tip");
  tip.replaceChildren(factList(facts));
  tip.hidden = false;
  const area = tip.getBoundingClientRect();
  const left = x + 14 + area.width > innerWidth ? x - 14 - area.width : x + 14;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = Math.max(4, Math.min(y + 14, innerHeight - area.height - 4)) + "px";
}
function hideTip() {
  document.getElementById("tip").hidden = true;
}
