// Kernels over vectors: each a card with the five steps.

const sameShape = (a, b) => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
const shapeText = (s) => `${s[0]} threads \u00d7 ${s[1]}` + (s[2] > 0 ? `, at most ${grouped(s[2])} blocks` : "");
const shortShape = (s) => `${s[0]}\u00d7${s[1]}` + (s[2] > 0 ? ` \u2264${s[2]}` : "");
const shapeKey = (s) => s.join("/");
function blocksFor(shape, n) {
  const parts = Math.max(1, Math.ceil(n / (shape[0] * shape[1])));
  return shape[2] > 0 ? Math.min(parts, shape[2]) : parts;
}
const isWithin = (interval, n) => interval.from <= n && (interval.to === null || n < interval.to);
const intervalText = (interval) =>
    interval.to === null ? `from ${grouped(interval.from)}` : `${grouped(interval.from)} to ${grouped(interval.to)}`;

// Domains of one name follow each other: lines are fitted to pieces.
function wholeDomains(kernel) {
  const all = [];
  for (const {name, from, to} of kernel.domains) {
    if (all.at(-1)?.name === name)
      all.at(-1).to = to;
    else
      all.push({name, from, to});
  }
  return all;
}

// What the model says: seconds of a shape at n, by the line of its domain, or null.
function lineOf(kernel, shape, n) {
  const domain = kernel.domains.find((one) => isWithin(one, n));
  return domain?.lines.find((one) => sameShape(one.shape, shape)) ?? null;
}
function secondsByLine(kernel, shape, n) {
  const line = lineOf(kernel, shape, n);
  return line === null ? null : line.slope * n + line.intercept;
}
const chosenAt = (kernel, n) => kernel.tree.find((leaf) => isWithin(leaf, n))?.shape ?? null;
function chosenSeconds(kernel, n) {
  const shape = chosenAt(kernel, n);
  return shape === null ? null : secondsByLine(kernel, shape, n);
}

// Colours: of the shapes that the tree chooses, the eight that it chooses for the longest stretch of a logarithmic axis
// have one each; all others are grey.
function coloursOf(kernel) {
  const most = Math.max(...kernel.points.map((p) => p[0]), 1);
  const stretches = new Map();
  for (const {shape, from, to} of kernel.tree) {
    const stretch = Math.log(Math.max(to ?? most, 1000) / Math.max(from, 1000));
    stretches.set(shapeKey(shape), (stretches.get(shapeKey(shape)) ?? 0) + stretch);
  }
  const longest = [...stretches].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([key]) => key);
  let next = 0;
  return new Map([...stretches.keys()].map((key) => [key, longest.includes(key) ? "c" + next++ : "other"]));
}

function pointFacts(kernel, p) {
  const [n, ...shape] = p;
  const t = p[4];
  const predicted = secondsByLine(kernel, shape, n);
  const best = chosenSeconds(kernel, n);
  const moved = (kernel.reads + kernel.writes) * kernel.value_bytes * n;
  return [
    ["kernel", kernel.kernel], ["n", grouped(n)], ["launch", shapeText(shape)],
    ["blocks", grouped(blocksFor(shape, n))], ["measured", seconds(t)],
    ["by its line", predicted === null ? "no line" : `${seconds(predicted)} (${deviation(predicted / t)})`],
    ["chosen there", chosenAt(kernel, n) === null ? "-" : `${shapeText(chosenAt(kernel, n))}, ${seconds(best)}`],
    ["bytes", rate(moved / t)]
  ];
}

// The upright axis: seconds, or those over what the tree's line says there.
function upright(kernel) {
  if (page.state.y === "time") return {of: (n, t) => t, title: "time of a launch", format: seconds};
  return {
    of: (n, t) => t / (chosenSeconds(kernel, n) ?? NaN),
    title: "time over that of the chosen line",
    format: (v) => short(v) + "\u00d7"
  };
}
const yKind = () => (page.state.y === "time" ? page.state.scale : "log");

// Polylines of a function of n within an interval.
function curve(plot, from, to, f) {
  const steps = 12, points = [];
  for (let i = 0; i <= steps; ++i) {
    const n = plot.x.isLog ? from * (to / from) ** (i / steps) : from + (to - from) * i / steps;
    const y = f(Math.min(n, to * (1 - 1e-9)));  // the next interval begins at its end
    if (y > 0) points.push(`${plot.x.at(n).toFixed(1)} ${plot.y.at(y).toFixed(1)}`);
  }
  return points.length > 1 ? "M" + points.join("L") : "";
}
const clipped = (plot, interval) => [Math.max(interval.from, plot.x.lo), Math.min(interval.to ?? Infinity, plot.x.hi)];

function modelLines(kernel, colours, up, plot) {
  const grey = [], coloured = [];
  for (const domain of kernel.domains) {
    const [from, to] = clipped(plot, domain);
    if (from >= to) continue;
    for (const {shape, slope, intercept} of domain.lines) {
      const key = shapeKey(shape);
      const look = colours.get(key) ?? "other";
      const d = curve(plot, from, to, (n) => up.of(n, slope * n + intercept));
      (look === "other" ? grey : coloured).push(svg("path", {class: "line " + look, d, "data-of": key}));
    }
  }
  const ends = wholeDomains(kernel).filter((one) => one.from > plot.x.lo && one.from < plot.x.hi).map((one) => {
    const x = plot.x.at(one.from);
    return svg("line", {class: "end", x1: x, x2: x, y1: plot.box.top, y2: plot.box.bottom});
  });
  return [grey, ends, coloured, envelope(kernel, colours, up, plot)];
}
function envelope(kernel, colours, up, plot) {
  return kernel.domains
      .flatMap((domain) => domain.leaves.map((leaf) => {
        const [from, to] = clipped(plot, leaf);
        const line = domain.lines.find((one) => sameShape(one.shape, leaf.shape));
        if (from >= to || line === undefined) return null;
        const d = curve(plot, from, to, (n) => up.of(n, line.slope * n + line.intercept));
        return svg("path", {class: "envelope " + colours.get(shapeKey(leaf.shape)), d});
      }))
      .filter((path) => path !== null);
}

// Below the axis: domains, and leaves of the tree, with names where there is room.
function strips(kernel, colours, plot) {
  const strip = (intervals, top, look, texts) => intervals.map((one) => {
    const [from, to] = clipped(plot, one);
    if (from >= to) return [];
    const left = plot.x.at(from), width = plot.x.at(to) - left;
    const label = texts(one).find((text) => text.length * 7 + 9 < width);
    return [
      svg("rect", {class: look(one), x: left, y: top, width, height: 20},
          svg("title", {}, `${intervalText(one)}: ${texts(one)[0]}`)),
      label === undefined ? [] : svg("text", {class: "inside", x: left + 5, y: top + 14}, label)
    ];
  });
  const top = plot.box.bottom + 24;
  return [
    kernel.domains.length > 0 ? svg("text", {x: plot.box.left - 6, y: top + 14, "text-anchor": "end"}, "domain") : [],
    svg("text", {x: plot.box.left - 6, y: top + 38, "text-anchor": "end"}, "chosen"),
    strip(wholeDomains(kernel), top, () => "domain", (one) => [one.name]),
    strip(
        kernel.tree, top + 24, (one) => "leaf " + colours.get(shapeKey(one.shape)),
        (one) => [shapeText(one.shape), shortShape(one.shape)])
  ].flat(Infinity);
}

// Of a profile of models alone: which launch is chosen at which n.
function drawTree(holder, kernel) {
  const ends = kernel.tree.flatMap((leaf) => [leaf.from, leaf.to]).filter((n) => n > 0);
  drawChart(holder, {
    name: `${kernel.kernel} ${kernel.values}`,
    label: `Launches of ${kernel.kernel} over n`,
    height: 132,
    below: 52,
    groups: [],
    x: {
      range: [Math.min(1000, ...ends) / 1.15, Math.max(1e6, ...ends.map((n) => 3 * n))],
      title: "n, values of a vector",
      format: (v) => withPrefix(v, "")
    },
    extras: (plot) => strips(kernel, coloursOf(kernel), plot)
  });
}

function drawKernel(holder, kernel) {
  if (kernel.points.length === 0) return drawTree(holder, kernel);
  const colours = coloursOf(kernel);
  const up = upright(kernel);
  const groups = new Map();
  for (const p of kernel.points) {
    const key = shapeKey(p.slice(1, 4));
    const look = colours.get(key) ?? "other";
    if (!groups.has(key)) groups.set(key, {of: key, look, radius: look === "other" ? 1.6 : 2.8, points: []});
    const y = up.of(p[0], p[4]);
    if (Number.isFinite(y)) groups.get(key).points.push({x: p[0], y, facts: () => pointFacts(kernel, p)});
  }
  const all = [...groups.values()].sort((a, b) => (b.look === "other") - (a.look === "other"));
  const ys = all.flatMap((group) => group.points.map((p) => p.y));
  drawChart(holder, {
    name: `${kernel.kernel} ${kernel.values}`,
    label: `Times of ${kernel.kernel} over n`,
    height: 440,
    below: 52,
    groups: all,
    x: {
      range: rangeOf(kernel.points.map((p) => p[0]), page.state.scale),
      title: "n, values of a vector",
      format: (v) => withPrefix(v, "")
    },
    y: {
      range: page.state.y === "time" ? rangeOf(ys, yKind()) : [0.8, Math.min(20, Math.max(1.5, ...ys))],
      kind: yKind(),
      title: up.title,
      format: up.format
    },
    lines: (plot) => modelLines(kernel, colours, up, plot),
    extras: (plot) => strips(kernel, colours, plot)
  });
}

// Of a reduction at one n: time over blocks, a colour for each number of threads.
function drawBlocks(holder, kernel, n) {
  const threads = unique(kernel.points.map((p) => p[1])).sort((a, b) => a - b);
  const groups = threads.map((t, i) => ({
                               of: "threads" + t,
                               look: i < 8 ? "c" + i : "other",
                               points: kernel.points.filter((p) => p[0] === n && p[1] === t)
                                           .map((p) => ({
                                                  x: blocksFor(p.slice(1, 4), n),
                                                  y: p[4],
                                                  shape: p.slice(1, 4),
                                                  facts: () => pointFacts(kernel, p)
                                                }))
                                           .sort((a, b) => a.x - b.x)
                             }));
  const at = groups.flatMap((group) => group.points);
  const fitted = (group, elements, plot) => {
    const d = group.points.filter((p) => p.shape[1] === elements)
                  .map((p) => [p.x, secondsByLine(kernel, p.shape, n)])
                  .filter(([, y]) => y > 0)
                  .map(([x, y]) => `${plot.x.at(x).toFixed(1)} ${plot.y.at(y).toFixed(1)}`)
                  .join("L");
    return d === "" ? null : svg("path", {class: "line " + group.look, d: "M" + d, "data-of": group.of});
  };
  drawChart(holder, {
    name: `${kernel.kernel} ${kernel.values} blocks`,
    label: `Times of ${kernel.kernel} over blocks`,
    height: 300,
    groups,
    x: {range: rangeOf(at.map((p) => p.x), page.state.scale), title: "blocks", format: (v) => withPrefix(v, "")},
    y: {range: rangeOf(at.map((p) => p.y), page.state.scale), title: "time of a launch", format: seconds},
    lines: (plot) =>
        groups
            .flatMap(
                (group) => unique(group.points.map((p) => p.shape[1])).map((elements) => fitted(group, elements, plot)))
            .filter((path) => path !== null)
  });
}
