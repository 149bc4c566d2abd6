// The cards of kernels over vectors.

function treeTable(kernel) {
  const colours = coloursOf(kernel);
  const columns = [
    {name: "n from", number: true}, {name: "to (below)", number: true}, {name: "launch"}, {name: "domain"},
    {name: "time at its beginning", number: true}, {name: "accuracy of the line", number: true}
  ];
  return table(
      columns, kernel.tree.map((leaf) => {
        const n = Math.max(leaf.from, 1);
        const line = lineOf(kernel, leaf.shape, n);
        const names = wholeDomains(kernel)
                          .filter((one) => one.from < (leaf.to ?? Infinity) && (one.to ?? Infinity) > leaf.from)
                          .map((one) => one.name);
        return [
          grouped(leaf.from), leaf.to === null ? "\u221e" : grouped(leaf.to),
          el("span", {class: "key launch"}, el("span", {class: "swatch " + colours.get(shapeKey(leaf.shape))}),
             shapeText(leaf.shape)),
          names.join(", "), seconds(secondsByLine(kernel, leaf.shape, n) ?? NaN),
          line === null ? "-" : percent(line.accuracy)
        ];
      }),
      {"data-tree": kernel.kernel});
}

function linesTable(kernel) {
  const columns = [
    {name: "domain"}, {name: "launch"}, {name: "seconds for each value", number: true},
    {name: "seconds in any case", number: true}, {name: "accuracy", number: true}
  ];
  return table(
      columns,
      kernel.domains.flatMap(
          (domain) => domain.lines.map(
              (line) =>
                  [`${domain.name}, ${intervalText(domain)}`, shapeText(line.shape), seconds(line.slope),
                   seconds(line.intercept), percent(line.accuracy)])));
}

function meanLineAccuracy(kernel) {
  const all = kernel.domains.flatMap((domain) => domain.lines.map((line) => line.accuracy));
  return all.length === 0 ? "-" : percent(mean(all));
}

// Sizes n, ascending, but for those next to a step, at which few shapes were measured.
function wholeSizes(kernel) {
  const shapes = new Map();
  for (const p of kernel.points) shapes.set(p[0], (shapes.get(p[0]) ?? 0) + 1);
  const sizes = [];
  let all = 0;  // shapes at the size before: they become more with n
  for (const [n, count] of [...shapes].sort((a, b) => a[0] - b[0])) {
    if (2 * count <= all) continue;
    sizes.push(n);
    all = count;
  }
  return sizes;
}

// The chart over blocks with the choice of n.
function blocksChart(kernel) {
  const sizes = wholeSizes(kernel);
  const holder = el("div", {});
  const choice =
      el("select", {onchange: () => drawBlocks(holder, kernel, Number(choice.value))},
         sizes.map((n, i) => el("option", {value: n, selected: i === Math.floor(sizes.length * 2 / 3)}, grouped(n))));
  page.redraw.push(() => sizes.length > 0 && drawBlocks(holder, kernel, Number(choice.value)));
  const threads = unique(kernel.points.map((p) => p[1])).sort((a, b) => a - b);
  return [
    el("p", {}, el("label", {}, "Over blocks, at n = ", choice)), holder,
    el("p", {},
       threads.map(
           (t, i) => el(
               "span", {class: "key"}, el("span", {class: "swatch " + (i < 8 ? "c" + i : "other")}), `${t} threads`)))
  ];
}

function modelText(kernel) {
  if (kernel.domains.length === 0)
    return kernel.tree.length === 0 ? "There is none." :
                                      "Which launch is chosen at which n; the profile holds neither " +
            "times nor the lines that they were fitted by.";
  return `A line for each launch in each of ${kernel.domains.length} pieces of ${
             wholeDomains(kernel).length} domains; mean accuracy of lines ${meanLineAccuracy(kernel)}. ` +
      "Coloured: launches that the tree chooses; wide: the lowest lines.";
}

function kernelCard(kernel) {
  const chart = el("div", {});
  const sizes = unique(kernel.points.map((p) => p[0]));
  const shapes = unique(
      [...kernel.points.map((p) => shapeKey(p.slice(1, 4))), ...kernel.tree.map((leaf) => shapeKey(leaf.shape))]);
  const card = el(
      "section", {class: "card", "data-card": kernel.kernel}, el("h3", {}, `${kernel.kernel}, ${kernel.values}`),
      el("div", {class: "steps"},
         [
           step(
               "1 Features",
               el("p", {},
                  `n, the values of a vector; for each ${kernel.reads} read and ${kernel.writes} written, ` +
                      `${(kernel.reads + kernel.writes) * kernel.value_bytes} bytes.`)),
           step(
               "2 Kernel",
               el("p", {},
                  `${kernel.kernel}, launched in ${grouped(shapes.length)} shapes` +
                      (kernel.reduces ? "; it leaves sums, one for each block." : "."))),
           step(
               "3 Experiments",
               el("p", {},
                  kernel.points.length === 0 ? "What was measured is not in the profile." :
                                               `${grouped(kernel.points.length)} times at ${sizes.length} sizes, n = ${
                                                   grouped(Math.min(...sizes))} to ${grouped(Math.max(...sizes))}.`))
         ].map((parts) => el("div", {}, parts))),
      step(
          "4 Model", el("p", {}, modelText(kernel)), chart,
          kernel.points.length === 0 ? null :
                                       [
                                         kernel.reduces ? blocksChart(kernel) : null,
                                         el("details", {}, el("summary", {}, "All lines"), linesTable(kernel))
                                       ]),
      step("5 Decision", kernel.tree.length === 0 ? el("p", {}, "There is no tree.") : treeTable(kernel)));
  page.redraw.push(() => {
    card.hidden = !isShown(kernel.kernel, kernel.values);
    if (kernel.points.length + kernel.tree.length > 0 && !card.hidden) drawKernel(chart, kernel);
  });
  return card;
}

function vectorSection() {
  const {vectors} = page.data;
  if (vectors.length === 0)
    return el("section", {}, el("h2", {}, "Kernels over vectors"), el("p", {}, "None has been measured."));
  const kinds = [
    ["Kernels over vectors", vectors.filter((one) => !one.reduces)],
    ["Inner products and other sums", vectors.filter((one) => one.reduces)]
  ];
  return kinds.filter(([, kernels]) => kernels.length > 0)
      .map(
          ([name, kernels]) =>
              el("section", {}, el("h2", {}, name), filterBar("Kernels", unique(kernels.map((one) => one.kernel))),
                 kernels.map(kernelCard)));
}
