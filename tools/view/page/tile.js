// The panel of a tile: its pattern, its bytes in every format, and what becomes of it in products.

const rangeOf = (first, count) => `${grouped(first)} to ${grouped(first + count - 1)}`;
const listOf = (numbers) => {
  const runs = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b))
    runs.length && runs.at(-1)[1] === n - 1 ? runs.at(-1)[1] = n : runs.push([n, n]);
  return runs.map(([a, b]) => (a === b ? a : a + (b > a + 1 ? "-" : ", ") + b)).join(", ");
};
const columnsOf = (mask) => Array.from({length: TILE}, (_, c) => c).filter((c) => mask >> c & 1);

// The slot of each nonzero of a tile in the operator `tile`, [{row, col, slot}, ...]; -1: an entry.
function tileSlots(tile) {
  return tile.masks.flatMap((mask, row) => columnsOf(mask).map((col, rank) => {
    const slot = tile.slotsAreRows ? tile.masks.slice(0, row).filter((m) => m).length : rank;
    return {row, col, slot: rank < tile.part && slot < tile.slots ? slot : -1};
  }));
}

// The same in the operator `strip`, of the tile in a column of a tile row; null if that has tiles that were left out.
// Slots are those of the whole tile row, `slots` is how many it has.
function stripSlots(tree, tileRow, tileCol) {
  const fill = tree.stripOf(tileRow).fill, tiles = tree.tilesOfRow(tileRow);
  if (fill === "none" || !tiles) return null;
  const columns = Array.from(
      {length: TILE}, (_, r) => tiles.flatMap(({col, tile}) => columnsOf(tile.masks[r]).map((c) => col * TILE + c)));
  const places = [];
  const take = (row, col, slot) => {
    if (Math.floor(col / TILE) === tileCol) places.push({row, col: col % TILE, slot});
  };
  const next = new Int32Array(TILE);
  let slots = 0;
  for (;; ++slots) {  // a slot holds the next nonzero of each row that is within 16 columns of the leftmost one
    const base = Math.min(...columns.map((of, r) => of[next[r]] ?? Infinity));
    if (base === Infinity) break;
    columns.forEach((of, r) => {
      if (of[next[r]] < base + TILE) take(r, of[next[r]++], slots);
    });
  }
  return {places, slots};
}

class TilePanel {
  constructor(tree, panel, map) {
    Object.assign(this, {tree, panel, map, mode: "nonzeros"});
  }

  show(row, col) {
    this.place = {row, col};
    const {id, level} = this.tree.find(row, col);
    this.panel.replaceChildren();
    this.panel.dataset.tile = `${row},${col}`;
    this.panel.append(
        el("div", {class: "head"}, el("h2", {}, `Tile (${grouped(row)}, ${grouped(col)})`),
           el("button", {type: "button", onclick: () => this.map.showTile(row, col)}, "Zoom to it")));
    if (id < 0) return this.panel.append(el("p", {class: "quiet"}, "It has no nonzeros."));
    if (this.tree.isSummary[id]) return this.panel.append(...this.leftOut(id, level));
    const tile = this.tree.tile(id);
    this.strip = stripSlots(this.tree, row, col);
    const format = this.tree.data.formats[tile.format];
    this.panel.dataset.format = format.name;
    this.panel.style.setProperty("--c", this.map.palette.css[tile.format]);
    this.pattern = el("div");
    this.panel.append(
        ...this.facts(tile, format), this.modes(), this.pattern, ...this.bars(tile),
        el("h3", {}, "In products on a GPU"), ...this.lowered(tile, row, col));
    this.draw(tile, row, col);
  }

  leftOut(id, level) {
    const side = 2 ** level;
    const {nnz, tiles} = this.tree;
    const what = level === 0 ? "This tile" : `This block of ${side} x ${side} tiles`;
    return [el(
        "p", {},
        `${what} has ${grouped(nnz[id])} nonzeros` + (level === 0 ? "" : ` in ${grouped(tiles[id])} tiles`) +
            `, most of them ${
                this.tree.data.formats[this.tree.format[id]].name}. Its details were left out of this page.`)];
  }

  facts(tile, format) {
    const {row, col} = this.place;
    const lengths = tile.masks.slice(0, tile.rows).map(bitCount);
    const mean = tile.nnz / tile.rows;
    const variation = Math.sqrt(lengths.reduce((sum, n) => sum + (n - mean) ** 2, 0) / tile.rows) / mean;
    const deferred = tile.masks.reduce((sum, mask) => sum + Math.max(0, bitCount(mask) - tile.part), 0);
    const isDeferred = tile.format === this.tree.formats - 1;
    const facts = {
      "Format": el("strong", {id: "tile-format"}, isDeferred ? "none: deferred to CSR rows" : format.name),
      "Why": el("span", {id: "why"}, tile.reason[0].toUpperCase() + tile.reason.slice(1) + "."),
      "Rows": rangeOf(row * TILE, tile.rows),
      "Columns": rangeOf(col * TILE, tile.cols),
      "Nonzeros": `${tile.nnz} of ${tile.rows * tile.cols} (${percent(tile.nnz / tile.rows / tile.cols)})` +
          (deferred && !isDeferred ? `, ${deferred} of them deferred` : ""),
      "Of a row": `${Math.min(...lengths)} to ${Math.max(...lengths)}, variation ${variation.toFixed(2)}`
    };
    return [el("dl", {}, Object.entries(facts).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]))];
  }

  modes() {
    const {row, col} = this.place;
    if (this.mode === "strip" && !this.strip) this.mode = "nonzeros";
    const names = {nonzeros: "Nonzeros", tile: "Slots of tile", strip: "Slots of strip"};
    return el(
        "fieldset", {class: "modes", "aria-label": "What the pattern shows"},
        Object.entries(names).map(
            ([mode, text]) =>
                el("label", {}, el("input", {
                     type: "radio",
                     name: "mode",
                     value: mode,
                     checked: mode === this.mode,
                     disabled: mode === "strip" && !this.strip,
                     onchange: () => {
                       this.mode = mode;
                       this.draw(this.tree.tile(this.tree.find(row, col).id), row, col);
                     }
                   }),
                   text)));
  }

  draw(tile, row, col) {
    const places = this.mode === "tile" ? tileSlots(tile) : this.mode === "strip" ? this.strip?.places : null;
    const slotOf = new Map((places ?? []).map((place) => [place.row * TILE + place.col, place.slot]));
    const size = 18, margin = 14, length = margin + TILE * size + 1;
    const marks = tile.masks.flatMap((mask, r) => columnsOf(mask).map((c, rank) => {
      const slot = slotOf.get(r * TILE + c), x = margin + c * size, y = margin + r * size;
      const isGrey = this.mode === "tile" ? slot === -1 : rank >= tile.part;
      const title = `row ${grouped(row * TILE + r)}, column ${grouped(col * TILE + c)}` +
          (slot === undefined ? "" :
               slot < 0       ? ", an entry" :
                                `, slot ${slot}`);
      return [
        el("rect", {
          class: "nz",
          x: x + 1,
          y: y + 1,
          width: size - 1,
          height: size - 1,
          rx: 2,
          "data-slot": slot,
          style: isGrey ? "fill: #848484" : null
        },
           el("title", {}, title)),
        slot >= 0 ? el("text", {x: x + size / 2 + 0.5, y: y + size / 2 + 3.5}, slot) : null
      ];
    }));
    const lines = Array.from({length: TILE - 1}, (_, i) => margin + (i + 1) * size + 0.5)
                      .map((at) => `M${margin} ${at}H${length}M${at} ${margin}V${length}`)
                      .join("");
    const axis = [0, 4, 8, 12].flatMap(
        (n) =>
            [el("text", {class: "axis", x: margin + (n + 0.5) * size, y: 9}, n),
             el("text", {class: "axis", x: 6, y: margin + (n + 0.5) * size + 3}, n)]);
    this.pattern.replaceChildren(
        el("svg", {
          class: "pattern",
          viewBox: `0 0 ${length} ${length}`,
          role: "img",
          "data-mode": this.mode,
          "aria-label": `Pattern of the tile: ${tile.nnz} nonzeros`
        },
           el("rect",
              {class: "field", x: margin + 0.5, y: margin + 0.5, width: tile.cols * size, height: tile.rows * size}),
           el("path", {class: "lines", d: lines}), axis, marks));
  }

  bars(tile) {
    const {matrix, formats} = this.tree.data;
    const rows = tile.bytes.map((bytes, f) => ({name: formats[f].name, bytes, isTaken: f === tile.format}));
    rows.push(
        {name: "CSR rows", bytes: tile.nnz * (matrix.value_bytes + 4), isTaken: tile.format === formats.length - 1});
    const most = Math.max(...rows.map((row) => row.bytes ?? 0));
    return [
      el("h3", {}, "Bytes in each format"),
      el("div", {class: "bars", role: "table"},
         rows.sort((a, b) => (a.bytes ?? Infinity) - (b.bytes ?? Infinity))
             .map(
                 (row) =>
                     [el("span", {
                        class: row.isTaken ? "taken" : "quiet",
                        "data-bytes": row.bytes ?? "none",
                        "data-name": row.name
                      },
                         (row.isTaken ? "\u25b8 " : "") + row.name),
                      el("span", {}, row.bytes === null ? null : el("div", {
                           class: row.isTaken ? "bar" : "bar other",
                           style: `width: ${100 * row.bytes / most}%`
                         })),
                      el("span", {class: row.isTaken ? "value taken" : "value"},
                         row.bytes === null ? "cannot hold it" : grouped(row.bytes))])),
      el("p", {class: "quiet"},
         `Its values alone take ${grouped(tile.nnz * matrix.value_bytes)}; a tile has an entry of 8 bytes besides.`)
    ];
  }

  lowered(tile, row, col) {
    const {scattered_share} = this.tree.data.matrix;
    const inTile = tileSlots(tile), entries = inTile.filter(({slot}) => slot < 0).length;
    const slots = tile.slots === 0 ?
        "" :
        `${tile.slots} slot${tile.slots > 1 ? "s" : ""}` + (tile.slotsAreRows ? " of a row each" : "");
    const rest = entries === 0 ? "" : `${entries} entr${entries > 1 ? "ies" : "y"} (CSR rows)`;
    const strip = this.tree.stripOf(row), own = this.strip;
    const how = {windows: "slots of 16 columns each", ranks: "slots filled by rank, with 16-bit columns"}[strip.fill];
    return [
      el("p", {id: "lowered-tile", "data-slots": tile.slots, "data-entries": entries}, el("strong", {}, "tile"),
         `: ${[slots, rest].filter((text) => text).join(" and ")}.` +
             (scattered_share >= 0.5 ?
                  ` As ${
                      percent(scattered_share)} of the matrix would be entries, all of it is multiplied as CSR rows.` :
                  "")),
      el("p", {id: "lowered-strip", "data-fill": strip.fill, "data-slots": strip.slots, "data-counted": own?.slots},
         el("strong", {}, "strip"),
         strip.fill === "none" ? ": its tile row stays CSR, which takes fewer bytes." :
                                 `: its tile row is a strip of ${strip.slots} ${how}` +
                 (own ?
                      `; this tile's nonzeros are in slot${own.places.length > 1 ? "s" : ""} ${
                          listOf(own.places.map((place) => place.slot))}.` :
                      ". Which of them this tile fills is not known here, since other tiles of the tile row were left out."))
    ];
  }
}
