"use strict";
// What all of the page uses: its data, its state, elements, numbers as text. Names of the profile become text nodes and
// attributes only, never markup.

const page = {
  data: null,
  // The fragment sets these, "#scale=linear&hide=csr16&hide=axpy"; `hide` names kernels, operators and types of values.
  state: {
    scale: "log",
    y: "time",
    theme: "auto",
    sort: "matrix",
    features: "some",
    hide: new Set(),
    points: new Set(["fitted", "held-out"])
  },
  redraw: [],  // called when the state has changed
};

function reportError(text) {
  const box = document.getElementById("errors");
  box.hidden = false;
  box.dataset.errors = String(Number(box.dataset.errors) + 1);
  box.append("This page has failed: " + text + "\n");
}
window.addEventListener("error", (event) => reportError(event.message));

// An element with attributes and children; null children are left out.
function make(create, tag, attributes, children) {
  const element = create(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}
const el = (tag, attributes, ...children) => make((name) => document.createElement(name), tag, attributes, children);
const svg = (tag, attributes, ...children) =>
    make((name) => document.createElementNS("http://www.w3.org/2000/svg", name), tag, attributes, children);

// Numbers as text.
const prefixes = [
  [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"], [1e-12, "p"],
  [1e-15, "f"]
];
function withPrefix(value, unit, digits = 3) {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let [step, prefix] = prefixes.find(([least]) => size >= least * 0.9995) ?? prefixes.at(-1);
  return Number((value / step).toPrecision(digits)) + (prefix + unit ? " " + prefix + unit : "");
}
const seconds = (value) => withPrefix(value, "s");
const rate = (value) => withPrefix(value, "B/s");
const bytes = (value) => withPrefix(value, "B");
const grouped = (value) => Math.round(value).toLocaleString("en-US");
const percent = (value, digits = 1) => (100 * value).toFixed(digits) + "%";
const deviation = (ratio) => (ratio < 1 ? "" : "+") + percent(ratio - 1);
const short = (value) => (Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(3))));
const gain = (loss) => (loss < 1.0005 ? "best" : "+" + percent(loss - 1));

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const accuracyOf = (predicted, measured) => 1 - Math.abs(predicted - measured) / measured;
const unique = (values) => [...new Set(values)];
const isShown = (...names) => names.every((name) => !page.state.hide.has(name));

// A name that may go on in the next line behind ":" and ",".
const breakable = (name) => name.split(/(?<=[:,])/).flatMap((part, i) => (i > 0 ? [el("wbr"), part] : [part]));

// Facts as a list of names and values, [[name, text], ...].
const factList = (facts, className) =>
    el("dl", {class: className},
       facts.map(
           ([name, text]) => className === "facts" ? el("div", {}, el("dt", {}, name), el("dd", {}, text)) :
                                                     [el("dt", {}, name), el("dd", {}, text)]));

// A table: columns of {name, number, title}, rows of arrays of texts or elements.
function table(columns, rows, attributes) {
  const kind = (i) => ({class: columns[i].number ? "number" : "name"});
  return el(
      "div", {class: "wide"},
      el("table", attributes,
         el("thead", {},
            el("tr", {},
               columns.map(
                   (column, i) =>
                       el("th", {...kind(i), scope: "col", title: column.title, "aria-sort": column.sorted},
                          column.head ?? column.name)))),
         el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el("td", kind(i), cell)))))));
}

const step = (name, ...children) => [el("h4", {}, name), ...children];
