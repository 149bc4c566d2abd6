// Models of the solver: which recurrence, and which form of a preconditioner, takes less time.

const figureNames = {
  cache_bytes: ["size of the cache", bytes],
  cached_launch_s: ["a launch of a kernel, data in the cache", seconds],
  cached_rate: ["reading from the cache", rate],
  launch_s: ["a launch behind another one, data in memory", seconds],
  memory_rate: ["reading and writing memory", rate],
  meeting_s: ["a meeting of the blocks of a kernel that stays", seconds],
  rank_sum_s: ["adding sums over GPUs", seconds],
};

function figureTable() {
  const {figures, measured} = page.data.solver;
  return table(
      [{name: "figure"}, {name: "", number: true}, {name: "from"}], Object.entries(figures).map(([name, value]) => {
        const [text, format] = figureNames[name] ?? [name, short];
        return [text, value > 0 ? format(value) : "-", measured.includes(name) ? "the probe" : "the library"];
      }),
      {"data-figures": "solver"});
}

const diagonalText = (fuses) => fuses ? "M diagonal" : "M by products of its own";

function recurrenceTable() {
  const columns = [
    {name: "recurrence"}, {name: "preconditioner"}, {name: "launches", number: true}, {name: "sums", number: true},
    {name: "values of vectors a row", number: true}, {name: "meetings, in one kernel", number: true}
  ];
  return table(
      columns,
      page.data.solver.recurrences.map(
          (one) => [one.name, diagonalText(one.fuses_diagonal), one.launches, one.sums, one.values, one.meetings].map(
              String)),
      {"data-recurrences": "solver"});
}

function iterationTable() {
  const columns = [
    {name: "rows", number: true}, {name: "preconditioner"}, {name: "chronopoulos-gear", number: true},
    {name: "textbook", number: true}, {name: "taken"}
  ];
  return table(
      columns,
      page.data.solver.iterations.map(
          (one) =>
              [grouped(one.rows), diagonalText(one.fuses_diagonal), seconds(one.chronopoulos_gear_s),
               seconds(one.textbook_s), one.chosen]),
      {"data-iterations": "solver"});
}

// "chronopoulos-gear up to 316,228 rows, textbook from 562,341 on", of one kind of preconditioner.
function recurrenceDecision(fuses) {
  const all = page.data.solver.iterations.filter((one) => one.fuses_diagonal === fuses);
  const parts = all.flatMap((one, i) => {
    const isFirst = i === 0 || all[i - 1].chosen !== one.chosen;
    return isFirst ? [i === 0 ? one.chosen : `${one.chosen} from ${grouped(one.rows)} rows on`] : [];
  });
  return `${diagonalText(fuses)}: ${parts.join(", ")}.`;
}

function recurrenceCard() {
  return el(
      "section", {class: "card", "data-card": "recurrence"}, el("h3", {}, "Recurrence of conjugate gradients"),
      el("div", {class: "pair"},
         el("div", {},
            step(
                "1 Features",
                el("p", {},
                   "Rows, bytes of A and of values, whether M is diagonal, whether all of it fits the cache.")),
            step("2 Kernel", recurrenceTable()), step("3 Experiments", figureTable())),
         el("div", {},
            step(
                "4 Model",
                el("p", {},
                   "Time of an iteration = launches (in one kernel meetings) and sums over GPUs times what each takes, and " +
                       "bytes of vectors and of A over bandwidth. In graphs, on grids of seven points in float64:"),
                el("details", {}, el("summary", {}, "Predicted times"), iterationTable())),
            step("5 Decision", el("p", {}, recurrenceDecision(true)), el("p", {}, recurrenceDecision(false))))));
}

const formsOf = (system, order) => page.data.solver.forms.filter((one) => one.system === system && one.order === order);

function formTable() {
  const columns = [
    {name: "system"}, {name: "order", number: true}, {name: "form"}, {name: "nonzeros a row", number: true},
    {name: "operators of its products"}, {name: "predicted", number: true}
  ];
  return table(
      columns,
      page.data.solver.forms.map(
          (one) =>
              [one.system, String(one.order), one.form, (one.nonzeros / one.rows).toFixed(1),
               one.operators.flatMap((name, i) => [i > 0 ? ", " : "", ...breakable(name)]), seconds(one.seconds)]),
      {"data-forms": "solver"});
}

function formDecision(system, order) {
  const best = formsOf(system, order).reduce((a, b) => (a.seconds <= b.seconds ? a : b));
  return `${system}, order ${order}: ${best.form}, ${seconds(best.seconds)}.`;
}

function preconditionerCard() {
  const pairs = unique(page.data.solver.forms.map((one) => one.system)).flatMap((system) => [[system, 1], [system, 2]]);
  return el(
      "section", {class: "card", "data-card": "preconditioner"},
      el("h3", {}, "Approximate inverse of SSOR, and which preconditioner"),
      el("div", {class: "pair"},
         el("div", {}, step("1 Features", el("p", {}, "Those of products, of each matrix that M is applied as.")),
            step(
                "2 Kernel",
                el("p", {},
                   "Of one M in exact arithmetic the forms: triangular factors, a pair of matrices, one explicit matrix.")),
            step(
                "3 Experiments",
                el("p", {},
                   "Those of products, above. Which preconditioner is found by a trial on each system, which shows by how " +
                       "much iterations reduce the residual and how long they take; none of that is in a profile."))),
         el("div", {},
            step(
                "4 Model",
                el("p", {},
                   "Time of M = predicted times of its products, each by the operator of the least, and of added " +
                       "diagonals. On grids of seven points in float64:"),
                formTable()),
            step(
                "5 Decision",
                el("p", {}, "The least time to apply M, to which that of making it is added where it is made:"),
                pairs.map((pair) => el("p", {}, formDecision(...pair)))))));
}

function solverSection() {
  const cards = page.data.solver === null ? el("p", {}, "No bandwidth has been measured.") :
                                            [recurrenceCard(), preconditionerCard()];
  return el("section", {id: "solver"}, el("h2", {}, "The solver"), cards);
}
