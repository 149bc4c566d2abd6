// The state of the page, its switches, and what is drawn of it.

function setState(change) {
  Object.assign(page.state, change);
  drawAll();
}
function drawAll() {
  document.documentElement.dataset.theme = page.state.theme;
  for (const draw of page.redraw) draw();
}

// Radio buttons of a state.
function radios(name, text, values) {
  const inputs = values.map(([value, label]) => {
    const input = el("input", {type: "radio", name, value, onchange: () => setState({[name]: value})});
    page.redraw.push(() => {
      input.checked = page.state[name] === value;
    });
    return el("label", {}, input, label);
  });
  return el("fieldset", {}, el("legend", {}, text), inputs);
}

// Check boxes of the members of a set; `isIn` tells whether one is checked.
function boxes(text, names, isChecked, setChecked) {
  const inputs = names.map(([name, label]) => {
    const input = el("input", {
      type: "checkbox",
      value: name,
      onchange: () => {
        setChecked([name], input.checked);
        drawAll();
      }
    });
    page.redraw.push(() => {
      input.checked = isChecked(name);
    });
    return el("label", {}, input, label);
  });
  const all = (checked) =>
      el("button", {
        type: "button",
        onclick: () => {
          setChecked(names.map(([name]) => name), checked);
          drawAll();
        }
      },
         checked ? "all" : "none");
  return el("fieldset", {}, el("legend", {}, text), inputs, names.length > 3 ? [all(true), all(false)] : null);
}
function filterBar(text, names) {
  return boxes(text, names.map((name) => [name, name]), (name) => isShown(name), (changed, checked) => {
    for (const name of changed) checked ? page.state.hide.delete(name) : page.state.hide.add(name);
  });
}
function pointSwitches() {
  return boxes(
      "Predictions", predictions.map((one) => [one.name, one.text]), (name) => page.state.points.has(name),
      (changed, checked) => {
        for (const name of changed) checked ? page.state.points.add(name) : page.state.points.delete(name);
      });
}
const featureSwitch = () => radios("features", "Features", [["some", "some"], ["all", "all"]]);

// The state that the fragment asks for.
function readFragment() {
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const name of ["scale", "y", "theme", "sort", "features"])
    if (asked.has(name)) page.state[name] = asked.get(name);
  if (asked.has("hide")) page.state.hide = new Set(asked.getAll("hide"));
  if (asked.has("points")) page.state.points = new Set(asked.getAll("points"));
  return asked;
}

function probeSection() {
  const {probe, build, date, set} = page.data;
  const rates = ["read_rate", "copy_rate", "triad_rate", "cache_rate"];
  const text = (name, value) =>
      (typeof value !== "number"   ? String(value) :
           value === 0             ? "-" :
           rates.includes(name)    ? rate(value) :
           name.endsWith("_bytes") ? bytes(value) :
           name.endsWith("_s")     ? seconds(value) :
                                     grouped(value));
  document.getElementById("machine").textContent = probe.name;
  document.title = "tilespmv: " + probe.name;
  document.getElementById("origin").textContent =
      `Measured ${date}, set of matrices: ${set}; tilespmv ${build.version} (${build.revision})` +
      (build.driver > 0 ? `, CUDA ${build.runtime}, driver ${build.driver}` : "");
  const facts =
      Object.entries(probe).map(([name, value]) => [name.replace(/_s$/, "").replaceAll("_", " "), text(name, value)]);
  return el(
      "section", {}, el("h2", {}, "The machine"), el("div", {class: "card", id: "probe"}, factList(facts, "facts")));
}

function switches() {
  const values = unique([...page.data.vectors, ...page.data.matrices].map((one) => one.values));
  return [
    radios("scale", "Scales", [["log", "logarithmic"], ["linear", "linear"]]),
    radios("y", "Upright axes", [["time", "times"], ["ratio", "ratios"]]),
    radios("theme", "Colours", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]]),
    values.length > 1 ? filterBar("Values", values) : null
  ].filter((one) => one !== null);
}

function start() {
  page.data = JSON.parse(document.getElementById("profile").textContent);
  const asked = readFragment();
  document.getElementById("switches").append(...switches());
  document.getElementById("main").append(
      ...[probeSection(), vectorSection(), productSection(), solverSection()].flat(Infinity));
  drawAll();
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  window.addEventListener("hashchange", () => {
    readFragment();
    drawAll();
  });
  if (asked.has("self-test")) selfTest();
}
try {
  start();
} catch (error) {
  reportError(error.stack ?? String(error));
}
