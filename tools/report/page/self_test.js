// With "self-test" in the fragment the page says of itself whether texts of charts lie over each other or are cut off,
// and whether it is wider than the window: in an element that tests read. It asks the first point of each chart what it
// is, by the keyboard and by the pointer.

function overlapsOf(root) {
  const areas =
      [...root.querySelectorAll("text")].map((text) => ({text: text.textContent, area: text.getBoundingClientRect()}));
  const outer = root.getBoundingClientRect();
  const faults =
      areas
          .filter(
              ({area}) => area.width > 0 &&
                  (area.left < outer.left - 1 || area.right > outer.right + 1 || area.bottom > outer.bottom + 1))
          .map(({text}) => `"${text}" is cut off`);
  areas.forEach((a, i) => areas.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.area.right, b.area.right) - Math.max(a.area.left, b.area.left);
    const high = Math.min(a.area.bottom, b.area.bottom) - Math.max(a.area.top, b.area.top);
    if (wide > 1 && high > 2) faults.push(`"${a.text}" lies over "${b.text}"`);
  }));
  return faults.map((fault) => `${root.dataset.chart}: ${fault}`);
}

// What is shown of a point; "" if nothing is.
function tipText() {
  const tip = document.getElementById("tip");
  return tip.hidden ? "" : tip.innerText;
}

// What is shown of the first point of a chart after the arrow key, and where that point is in the window.
function firstTip(root) {
  root.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  const text = tipText();
  const area = root.querySelector(".ring").getBoundingClientRect();
  root.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  return {text, x: (area.left + area.right) / 2, y: (area.top + area.bottom) / 2};
}

// Whether the pointer is told the same at the first point, and nothing in the corner, where there is none, nor when it
// has left the chart.
function answersPointer(root) {
  const first = firstTip(root);
  const corner = root.getBoundingClientRect();
  const tipAt = (x, y) => {
    root.dispatchEvent(new PointerEvent("pointermove", {clientX: x, clientY: y}));
    return tipText();
  };
  const told = [tipAt(first.x, first.y), tipAt(corner.left, corner.top), tipAt(first.x, first.y)];
  root.dispatchEvent(new PointerEvent("pointerleave"));
  return told[0] === first.text && told[1] === "" && told[2] === first.text && tipText() === "";
}

function selfTest() {
  const charts = [...document.querySelectorAll("svg.chart")].filter((chart) => chart.getBoundingClientRect().width > 0);
  const faults = charts.flatMap(overlapsOf);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const withPoints = charts.filter((chart) => chart.querySelector(".points[d^=M]"));
  document.body.append(
      el("pre", {
        id: "self-test-result",
        "data-charts": charts.length,
        "data-faults": faults.length,
        "data-wider": wide,
        "data-silent": withPoints.filter((chart) => firstTip(chart).text === "").length,
        "data-deaf": withPoints.filter((chart) => !answersPointer(chart)).length
      },
         faults.join("\n")));
}
