// Products: each operator a card with the five steps, times predicted against measured.

// All measured products, [{matrix, product}], of an operator if one is named.
function measuredProducts(operator) {
  return page.data.matrices.filter((matrix) => isShown(matrix.values))
      .flatMap(
          (matrix) =>
              matrix.products
                  .filter((product) => product.seconds > 0 && (operator === undefined || product.operator === operator))
                  .map((product) => ({matrix, product})));
}

// Ways to predict a time, as they are in the profile.
const predictions = [
  {name: "fitted", text: "fitted to all matrices", key: "predicted_s", hollow: true},
  {name: "held-out", text: "held out: by a model of other matrices", key: "held_out_s"},
  {name: "naive", text: "bytes over bandwidth", key: "naive_s", outline: "cross"},
];
const regimes = [{name: "resident", outline: "circle", look: "c0"}, {name: "streamed", outline: "square", look: "c1"}];

function productFacts(matrix, product) {
  const f = matrix.features;
  const against = (value) => (value > 0 ? `${seconds(value)} (${deviation(value / product.seconds)})` : "-");
  return [
    ["matrix", matrix.name], ["values", matrix.values],
    ["size", `${grouped(f.rows)} \u00d7 ${grouped(f.cols)}, ${grouped(f.nnz)} nonzeros`],
    ["operator", `${product.operator}, ${product.regime}`], ["measured", seconds(product.seconds)],
    ...predictions.map((one) => [one.text.split(":")[0], against(product[one.key])]),
    ["preparation", seconds(product.preparation_s)]
  ];
}

function scatterGroups(operator) {
  const all = measuredProducts(operator);
  return predictions.filter((one) => page.state.points.has(one.name))
      .flatMap(
          (prediction) => regimes.map(
              (regime) => ({
                look: prediction.outline === "cross" ? "cross" : regime.look + (prediction.hollow ? " hollow" : ""),
                outline: prediction.outline ?? regime.outline,
                radius: prediction.hollow ? 3.4 : 2.6,
                points: all.filter(({product}) => product.regime === regime.name && product[prediction.key] > 0)
                            .map(({matrix, product}) => ({
                                   x: product.seconds,
                                   y: product[prediction.key] / (page.state.y === "ratio" ? product.seconds : 1),
                                   facts: () => productFacts(matrix, product)
                                 }))
              })));
}

// Where predictions are right, and within 5% and 10%.
function diagonal(plot) {
  const {lo, hi} = plot.x;
  const y = (x, factor) => (page.state.y === "ratio" ? factor : x * factor);
  const at = (x, factor) => `${plot.x.at(x).toFixed(1)} ${plot.y.at(y(x, factor)).toFixed(1)}`;
  const from = Math.max(lo, plot.x.isLog ? lo : 1e-12);
  const band = (p) =>
      svg("path", {class: "band", d: `M${at(from, 1 + p)}L${at(hi, 1 + p)}L${at(hi, 1 - p)}L${at(from, 1 - p)}z`});
  return [band(0.1), band(0.05), svg("path", {class: "diagonal", d: `M${at(from, 1)}L${at(hi, 1)}`})];
}

// All charts have the same range, so that they can be compared.
function timeRange() {
  const all = measuredProducts().flatMap(
      ({product}) =>
          [product.seconds,
           ...predictions.filter((one) => page.state.points.has(one.name)).map((one) => product[one.key])]);
  return rangeOf(all, page.state.scale);
}

// Ratios of predicted to measured times; those far out are not seen.
function ratioRange() {
  const far = measuredProducts().flatMap(
      ({product}) => predictions.filter((one) => page.state.points.has(one.name) && product[one.key] > 0)
                         .map((one) => Math.abs(Math.log(product[one.key] / product.seconds))));
  const most = Math.min(Math.log(5), Math.max(Math.log(1.25), ...far) * 1.05);
  return [Math.exp(-most), Math.exp(most)];
}

function drawScatter(holder, operator) {
  const range = timeRange();
  const upright = page.state.y === "ratio" ?
      {range: ratioRange(), kind: "log", title: "predicted over measured", format: (v) => short(v) + "\u00d7"} :
      {range, title: "predicted", format: seconds};
  drawChart(holder, {
    name: operator,
    label: `Times of ${operator}, predicted against measured`,
    height: 400,
    width: 460,
    groups: scatterGroups(operator),
    x: {range, title: "measured", format: seconds},
    y: upright,
    lines: diagonal
  });
}

const modelsOf = (operator) => page.data.models.filter((model) => model.operator === operator);
const modelName = (model) => `${model.value_bytes} bytes, sums of ${model.sum_bytes}`;

function costTable(operator) {
  const models = modelsOf(operator);
  if (models.length === 0) return el("p", {}, "Too few matrices have been measured.");
  const columns = [
    {name: "term"}, {name: "seconds for a unit of"}, ...models.map((model) => ({name: modelName(model), number: true}))
  ];
  const free = page.data.terms.filter((term) => !usedTerms(operator).includes(term)).map((term) => term.meaning);
  return [
    table(
        columns,
        usedTerms(operator).map(
            (term) => [term.name, term.meaning, ...models.map((model) => withPrefix(model.costs[term.name] ?? 0, ""))]),
        {"data-costs": operator}),
    free.length > 0 ? el("p", {class: "quiet"}, "Nothing for: " + free.join("; ") + ".") : null
  ];
}

const isOfModel = ({features}, model) =>
    features.value_bytes === model.value_bytes && features.sum_bytes === model.sum_bytes;

function accuracyTable(operator) {
  const models = modelsOf(operator);
  const columns = [
    {name: "model"}, {name: "matrices", number: true}, {name: "fitted", number: true}, {name: "held out", number: true},
    {name: "naive", number: true},
    {name: "corrected", title: "by what the sum of costs leaves on so many similar matrices"}
  ];
  return table(columns, models.map((model) => {
    const own = measuredProducts(operator).filter(({matrix}) => isOfModel(matrix, model));
    const naive =
        own.filter(({product}) => product.naive_s > 0).map(({product}) => accuracyOf(product.naive_s, product.seconds));
    return [
      modelName(model), grouped(model.matrices), percent(model.accuracy),
      model.held_out_accuracy ? percent(model.held_out_accuracy) : "-", naive.length > 0 ? percent(mean(naive)) : "-",
      `by ${grouped(model.anchor_count)} matrices`
    ];
  }));
}

function refusedText(operator) {
  const errors = page.data.matrices.flatMap(
      (m) => m.products.filter((p) => p.operator === operator && p.error !== undefined).map((p) => p.error));
  return errors.length === 0 ? "" : ` ${errors.length} could not be made, the first: ${errors[0]}`;
}
function experimentText(operator) {
  const all = measuredProducts(operator);
  const count = (regime) => all.filter(({product}) => product.regime === regime).length;
  return `${all.length} matrices: ` + regimes.map((one) => `${count(one.name)} ${one.name}`).join(", ") + "." +
      refusedText(operator);
}
function usedTerms(operator) {
  return page.data.terms.filter((term) => modelsOf(operator).some((model) => model.costs[term.name] > 0));
}

function operatorCard(operator) {
  const chart = el("div", {}), decision = el("p", {}), experiments = el("p", {}), accuracy = el("div", {});
  const card =
      el("section", {class: "card", "data-card": operator}, el("h3", {}, operator),
         el("div", {class: "pair"}, el("div", {}, chart, accuracy),
            el("div", {},
               step(
                   "1 Features",
                   el("p", {},
                      "Terms of work that take time: " +
                          (usedTerms(operator).map((term) => term.name).join(", ") || "none"))),
               step("2 Kernel", el("p", {}, operator)), step("3 Experiments", experiments),
               step("4 Model", costTable(operator)), step("5 Decision", decision))));
  page.redraw.push(() => {
    card.hidden = !isShown(operator);
    if (card.hidden) return;
    drawScatter(chart, operator);
    experiments.textContent = experimentText(operator);
    accuracy.replaceChildren(accuracyTable(operator));
    const chosen = choices().filter((one) => one.models?.operator === operator).length;
    const best = choices().filter((one) => one.best.operator === operator).length;
    decision.textContent = `Chosen for ${chosen} of ${choices().length} matrices, the fastest for ${best}.`;
  });
  return card;
}

function scatterLegend() {
  const mark = (regime, prediction) =>
      svg("svg", {width: 14, height: 14, "aria-hidden": true}, svg("path", {
            class: "points " + (prediction.outline ? "cross" : regime.look + (prediction.hollow ? " hollow" : "")),
            d: "M7 7" + outlines[prediction.outline ?? regime.outline](4)
          }));
  return el(
      "p", {},
      predictions.flatMap(
          (prediction) => (prediction.outline ? regimes.slice(0, 1) : regimes)
                              .map(
                                  (regime) =>
                                      el("span", {class: "key"}, mark(regime, prediction),
                                         (prediction.outline ? "" : regime.name + ", ") + prediction.text))),
      el("span", {class: "key"}, "bands: \u00b15% and \u00b110%"));
}
