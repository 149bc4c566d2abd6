// Which operator each matrix gets, and what that costs; accuracy over all.

// Who chooses, by the rankings that stand beside each matrix.
const choosers = [
  {name: "models", text: "the profile", key: "by_models"},
  {name: "held-out", text: "the profile, held out", key: "by_held_out"},
  {name: "rules", text: "rules alone", key: "by_rules"},
];

// Of each matrix the fastest operator and what each chooser takes, among those that are shown; made once a state.
let madeChoices = null;
page.redraw.push(() => {
  madeChoices = null;
});
function choices() {
  madeChoices ??=
      page.data.matrices.filter((matrix) => isShown(matrix.values)).map(choiceFor).filter((one) => one !== null);
  return madeChoices;
}
function choiceFor(matrix) {
  const products =
      new Map(matrix.products.filter((p) => p.seconds > 0 && isShown(p.operator)).map((p) => [p.operator, p]));
  const candidates = [...products.values()].filter((p) => !p.baseline);
  if (candidates.length === 0) return null;
  const best = candidates.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const choice = {matrix, best};
  for (const {name, key} of choosers) {
    const first = matrix[key].find((operator) => products.has(operator));
    if (first !== undefined)
      choice[name] = {
        operator: first,
        seconds: products.get(first).seconds,
        loss: products.get(first).seconds / best.seconds
      };
  }
  return choice;
}

function qualityOf(losses) {
  if (losses.length === 0) return ["0", "-", "-", "-"];
  return [
    grouped(losses.length), percent(losses.filter((loss) => loss <= 1.05).length / losses.length),
    gain(Math.exp(mean(losses.map(Math.log)))), gain(Math.max(...losses))
  ];
}
function qualityTable() {
  const columns = [
    {name: "choice by"}, {name: "matrices", number: true}, {name: "within 5% of the best", number: true},
    {name: "loss, geometric mean", number: true}, {name: "worst", number: true}
  ];
  return table(
      columns,
      choosers.map(
          ({name, text}) => [text, ...qualityOf(choices().filter((one) => one[name]).map((one) => one[name].loss))]));
}

// Columns of the choices; `of` gives what is sorted by, `cell` what is shown. Those of choosers are sorted by loss.
const usualFeatures = ["rows", "nnz", "mean_row", "longest_row"];
function choiceColumns() {
  const one = page.data.matrices[0];
  const known = Object.keys(one.features).filter((name) => typeof one.features[name] === "number");
  const features = page.state.features === "all" ? known : known.filter((name) => usualFeatures.includes(name));
  const values = unique(page.data.matrices.map((matrix) => matrix.values)).length > 1;
  return [
    {name: "matrix", of: (c) => c.matrix.name, cell: (c) => breakable(c.matrix.name)},
    ...(values ? [{name: "values", of: (c) => c.matrix.values, cell: (c) => c.matrix.values}] : []),
    ...features.map(
        (name) =>
            ({name, number: true, of: (c) => c.matrix.features[name], cell: (c) => short(c.matrix.features[name])})),
    {name: "best measured", of: (c) => c.best.operator, cell: (c) => breakable(c.best.operator)},
    {name: "time", number: true, of: (c) => c.best.seconds, cell: (c) => seconds(c.best.seconds)},
    ...choosers.map(({name, text}) => ({name: text, of: (c) => c[name]?.loss ?? 0, cell: (c) => choiceCell(c[name])}))
  ];
}
const choiceCell = (choice) => (choice === undefined ? "-" : [breakable(choice.operator), " ", lossCell(choice.loss)]);
const lossCell = (loss) => el("span", {class: "launch " + (loss <= 1.05 ? "good" : "bad")}, gain(loss));

// `sort` is the name of a column, with "-" in front for the largest first.
function choiceTable() {
  const columns = choiceColumns();
  const isDown = page.state.sort.startsWith("-");
  const by = page.state.sort.replace(/^-/, "");
  const sorted = columns.find((column) => column.name === by) ?? columns[0];
  const order = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b);
  const rows = [...choices()].sort((a, b) => (isDown ? -1 : 1) * order(sorted.of(a), sorted.of(b)));
  for (const column of columns) {
    column.sorted = column === sorted ? (isDown ? "descending" : "ascending") : undefined;
    const next = column === sorted && !isDown ? "-" + column.name : column.name;
    column.head =
        el("button", {
          type: "button",
          "data-sort": column.name,
          onclick: () => {
            setState({sort: next});
            focusSort(column.name);
          }
        },
           column.name);
  }
  return table(columns, rows.map((one) => columns.map((column) => column.cell(one))), {id: "choices"});
}
function focusSort(name) {
  [...document.querySelectorAll("[data-sort]")].find((one) => one.dataset.sort === name)?.focus();
}

// Mean accuracy of an operator, or of all without one, by each prediction.
function accuracyRow(operator) {
  const all = operator === undefined ? measuredProducts().filter(({product}) => isShown(product.operator)) :
                                       measuredProducts(operator);
  return [
    grouped(all.length), ...predictions.map(({key}) => {
      const values =
          all.filter(({product}) => product[key] > 0).map(({product}) => accuracyOf(product[key], product.seconds));
      if (values.length === 0) return "-";
      return bar(mean(values));
    })
  ];
}
function overallTable(operators) {
  const columns = [
    {name: "operator"}, {name: "products", number: true},
    ...predictions.map((one) => ({name: one.text.split(":")[0], number: true}))
  ];
  return table(
      columns,
      [["all", ...accuracyRow()], ...operators.filter((one) => isShown(one)).map((one) => [one, ...accuracyRow(one)])],
      {id: "accuracy"});
}

function checkSections(checks) {
  if (checks.length === 0)
    return [el(
        "p", {class: "quiet"}, "The models have not been checked on other matrices (tilespmv tune --suite unseen).")];
  return checks.flatMap(checkSection);
}
function checkSection(check) {
  const rows = [
    ["the profile", check.models], ["rules alone", check.rules], ["trees of kernels over vectors", check.vectors]
  ].filter(([, one]) => one.choices > 0);
  return [
    check.matrices === 0 ?
        [] :
        el("p", {},
           `On ${check.matrices} matrices that are not in the set (${check.values}, sums of ${
               check.sum_bytes} bytes) predictions have an accuracy of ${percent(check.accuracy)}, ` +
               `bytes over bandwidth ${percent(check.naive_accuracy)}.`),
    table(
        [
          {name: `${check.values}, choice by`}, {name: "choices", number: true},
          {name: "within 5% of the best", number: true}, {name: "loss, geometric mean", number: true},
          {name: "worst", number: true}
        ],
        rows.map(
            ([name,
              one]) => [name, grouped(one.choices), percent(one.near_best), gain(one.mean_loss), gain(one.worst_loss)]),
        {id: `check-${check.value_bytes}-${check.sum_bytes}`})
  ];
}

// A share as a number and a bar.
const bar = (share) =>
    [percent(share) + " ",
     el("span", {style: "display:inline-block;width:60px;text-align:left"},
        el("span", {class: "bar c0", style: `width:${Math.round(60 * Math.max(0, share))}px`}))];

// Of a profile of models alone, as the library carries them.
function modelsSection(operators) {
  const {models, checks} = page.data;
  const columns = [
    {name: "operator"}, {name: "model"}, {name: "matrices", number: true}, {name: "fitted", number: true},
    {name: "held out", number: true}
  ];
  const accuracy = el("div", {});
  const costs = operators.map((operator) => {
    const card = el("section", {class: "card", "data-card": operator}, el("h3", {}, operator), costTable(operator));
    page.redraw.push(() => {
      card.hidden = !isShown(operator);
    });
    return card;
  });
  page.redraw.push(() => {
    accuracy.replaceChildren(table(
        columns,
        models.filter((model) => isShown(model.operator))
            .map(
                (model) =>
                    [breakable(model.operator), modelName(model), grouped(model.matrices), bar(model.accuracy),
                     model.held_out_accuracy ? bar(model.held_out_accuracy) : "-"]),
        {id: "accuracy"}));
  });
  return el(
      "section", {}, el("h2", {}, "Products of matrices (SpMV)"),
      el("p", {},
         `${models.length} models of ${
             operators.length} operators. The profile holds no measured times, so that none ` +
             "are drawn; a time is the sum of amounts of work, each times a cost."),
      filterBar("Operators", operators),
      el("div", {class: "card"}, el("h3", {}, "Accuracy, 1 - |predicted - measured| / measured"), accuracy),
      el("div", {class: "card"}, el("h3", {}, "On other matrices"), ...checkSections(checks)), costs);
}

function productSection() {
  const {matrices, models, checks} = page.data;
  const operators = unique(matrices.flatMap((matrix) => matrix.products.map((product) => product.operator)));
  if (operators.length === 0 && models.length > 0) return modelsSection(unique(models.map((one) => one.operator)));
  if (operators.length === 0)
    return el("section", {}, el("h2", {}, "Products"), el("p", {}, "None has been measured."));
  const overall = el("div", {}), quality = el("div", {}), chosen = el("div", {});
  page.redraw.push(() => {
    overall.replaceChildren(overallTable(operators));
    quality.replaceChildren(qualityTable());
    chosen.replaceChildren(choiceTable());
  });
  return [
    el("section", {}, el("h2", {}, "Products of matrices (SpMV)"),
       el("p", {},
          `${operators.length} operators on ${matrices.length} matrices, ${
              models.length} models. A time is the sum of amounts of work, each times a cost.`),
       filterBar("Operators", operators), pointSwitches(), scatterLegend(),
       el("div", {class: "card"}, el("h3", {}, "Accuracy, 1 - |predicted - measured| / measured"), overall),
       el("div", {class: "card"}, el("h3", {}, "On other matrices"), ...checkSections(checks)),
       operators.map(operatorCard)),
    el("section", {}, el("h2", {}, "The choice for each matrix"),
       el("p", {},
          "Among the operators that are shown; a loss is what the choice takes longer than the best measured."),
       el("div", {class: "card"}, quality, featureSwitch(), chosen))
  ];
}
