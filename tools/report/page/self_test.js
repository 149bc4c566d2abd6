// With "self-test" in the fragment the page says of itself whether texts of charts lie over each other or are cut off,
// and whether it is wider than the window: in an element that tests read. It goes through all points by the keyboard.

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

// What is shown of the first point of a chart, after the arrow key.
function firstTip(root) {
  root.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  const text = document.getElementById("tip").innerText;
  root.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  return text;
}

function selfTest() {
  const charts = [...document.querySelectorAll("svg.chart")].filter((chart) => chart.getBoundingClientRect().width > 0);
  const faults = charts.flatMap(overlapsOf);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const silent = charts.filter((chart) => chart.querySelector(".points[d^=M]") && firstTip(chart) === "").length;
  document.body.append(
      el("pre", {
        id: "self-test-result",
        "data-charts": charts.length,
        "data-faults": faults.length,
        "data-wider": wide,
        "data-silent": silent
      },
         faults.join("\n")));
}
