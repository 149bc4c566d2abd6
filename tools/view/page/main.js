// Puts the page together. The fragment says what it shows: #tile=ROW,COL of a tile in the grid of tiles,
// #at=ROW,COL,SCALE with the row and the column in the middle and pixels per column, #format=NAME that stands out.

function describe(data) {
  const m = data.matrix, cells = 2 ** data.cut;
  document.title = m.name + " \u2013 tilespmv";
  document.getElementById("name").textContent = m.name;
  document.getElementById("facts").textContent = [
    `${grouped(m.rows)} \u00d7 ${grouped(m.cols)}`, `${grouped(m.nnz)} nonzeros`, `${grouped(m.tiles)} tiles`, m.values,
    m.selector ? `selector ${m.selector}` : "tiles as stored",
    m.nnz ? `${(m.tiled_bytes / m.nnz).toFixed(2)} bytes per nonzero, CSR ${(m.csr_bytes / m.nnz).toFixed(2)}` : ""
  ].filter((text) => text).join(" \u00b7 ");
  document.getElementById("left-out").textContent = data.cut < 0 || m.tiles === data.detailed_tiles ?
      "All tiles are in this page in detail." :
      `This page holds ${grouped(data.detailed_tiles)} of ${grouped(m.tiles)} tiles in detail, those of ` +
          `${grouped(data.detailed_cells)} of ${grouped(data.cut_cells)} blocks of ${cells} \u00d7 ${cells} tiles: ` +
          "of each format the fullest tile and some examples, others evenly over the matrix. Of other blocks, which " +
          "are hatched, it has the number of nonzeros and formats. A larger page (--size) holds more.";
}

function drawLegend(tree, map, legend, choose) {
  const {matrix, formats} = tree.data;
  const shown =
      formats.map((format, f) => ({...format, f, seen: 0})).filter((format) => format.tiles > 0 || format.nnz > 0);
  const buttons = shown.map(
      (format) =>
          [el("button", {
             type: "button",
             class: "format",
             "aria-pressed": String(map.lit === format.f),
             "data-format": format.name,
             title: "Let this format stand out",
             onclick: () => light(map.lit === format.f ? -1 : format.f)
           },
              el("span", {class: "swatch"}), el("span", {class: "name"}, format.name),
              el("span", {}, grouped(format.tiles)), el("span", {}, percent(format.nnz / matrix.nnz))),
           el("button", {
             type: "button",
             title: "Show an example",
             "aria-label": `Show an example of ${format.name}`,
             disabled: format.examples.length === 0,
             onclick: () => choose(...format.examples[format.seen++ % format.examples.length], true)
           },
              "\u203a")]);
  const light = (f) => {
    map.lit = shown.some((format) => format.f === f) ? f : -1;
    buttons.forEach(([button], i) => button.setAttribute("aria-pressed", String(shown[i].f === f)));
    map.paintOverview();
    map.draw();
    map.events.moved();
  };
  legend.replaceChildren(
      el("div", {class: "legend"},
         el("div", {class: "format head"}, el("span"), el("span", {class: "name"}, "Format"), el("span", {}, "tiles"),
            el("span", {}, "nonzeros")),
         el("span"), buttons));
  return {
    light,
    restyle: (palette) => shown.forEach((format, i) => buttons[i][0].style.setProperty("--c", palette.css[format.f]))
  };
}

async function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  describe(data);
  const tree = new Tree(data, await unpackSections(data));
  let legend = null, panel = null, waiting = 0;

  const choose = (row, col, isShown) => {
    map.chosen = {row, col};
    panel.show(row, col);
    isShown ? map.showTile(row, col) : map.draw();
    events.moved();
  };
  const events = {
    restyled: (palette) => {
      legend?.restyle(palette);
      if (map?.chosen) panel.show(map.chosen.row, map.chosen.col);
    },
    choose: (at) => {
      if (!at) return;
      const tile =
          at.cell.id < 0 ? {row: Math.floor(at.row / TILE), col: Math.floor(at.col / TILE)} : tree.descend(at.cell);
      const side = at.cell.id < 0 ? 1 : 2 ** tile.level;  // of a block that was left out
      choose(tile.row * side, tile.col * side, false);
    },
    hovered: (at) => {
      document.getElementById("hover").textContent = at ? hoverText(at) : "";
    },
    moved: () => {
      clearTimeout(waiting);
      if (location.protocol !== "about:")  // of a frame in a notebook
        waiting = setTimeout(() => history.replaceState(null, "", "#" + fragment()), 200);
    }
  };
  const hoverText = ({row, col, cell}) => {
    const place = `row ${grouped(row)}, column ${grouped(col)}`;
    if (cell.id < 0) return place;
    const format = data.formats[tree.format[cell.id]].name, nnz = `${grouped(tree.nnz[cell.id])} nonzeros`;
    return cell.level === 0 ?
        `${place} \u00b7 tile (${grouped(cell.row)}, ${grouped(cell.col)}): ${format}, ${nnz}` :
        `${place} \u00b7 ${2 ** cell.level} \u00d7 ${2 ** cell.level} tiles: ${nnz}, most in ${format}`;
  };
  const fragment = () => {
    const parts = [];
    const {row, col} = map.middle();
    if (map.chosen) parts.push(`tile=${map.chosen.row},${map.chosen.col}`);
    if (map.lit >= 0) parts.push(`format=${data.formats[map.lit].name}`);
    if (map.scale > map.fit) parts.push(`at=${Math.round(row)},${Math.round(col)},${map.scale.toPrecision(4)}`);
    return parts.join("&");
  };

  let map = null;
  map = new MatrixMap(tree, document.getElementById("canvas"), document.getElementById("overview"), events);
  panel = new TilePanel(tree, document.getElementById("tile"), map);
  legend = drawLegend(tree, map, document.getElementById("legend"), choose);
  legend.restyle(map.palette);
  for (const button of document.querySelectorAll("#buttons button"))
    button.addEventListener("click", () => map.press(button.dataset.key));

  const follow = (fragmentText) => {
    const asked = new URLSearchParams(fragmentText);
    const numbers = (name) => (asked.get(name) ?? "").split(",").map(Number);
    const [row, col] = numbers("tile"), [middleRow, middleCol, scale] = numbers("at");
    legend.light(data.formats.findIndex(({name}) => name === asked.get("format")));
    if (Number.isInteger(row) && Number.isInteger(col) && asked.has("tile")) choose(row, col, !asked.has("at"));
    if (scale > 0) map.center(middleRow, middleCol, scale);
  };
  follow(location.hash.slice(1));
  window.addEventListener("hashchange", () => follow(location.hash.slice(1)));
  document.body.dataset.ready = "true";
}
start().catch((error) => reportError(error.stack ?? String(error)));
