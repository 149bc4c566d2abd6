"use strict";
// The tree of cells that the page holds: see tools/view/quadtree.hpp. A cell of level k covers 2^k x 2^k tiles; cells
// are numbered from the whole matrix down to the tiles.

function reportError(text) {
  const box = document.getElementById("errors");
  box.hidden = false;
  box.dataset.errors = String(Number(box.dataset.errors) + 1);
  box.append("This page has failed: " + text + "\n");
}
window.addEventListener("error", (event) => reportError(event.message));

const TILE = 16;
const grouped = (n) => Math.round(n).toLocaleString("en-US");
const percent = (share) => {
  const text = 100 * share;
  return (share === 0 || text >= 9.95 ? text.toFixed(0) : text >= 0.095 ? text.toFixed(1) : text.toPrecision(1)) + "%";
};
function el(tag, attributes, ...children) {
  const isSvg = ["svg", "rect", "path", "text", "g", "title"].includes(tag);
  const element = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// The named parts of the compressed bytes.
async function unpackSections(data) {
  const packed = Uint8Array.from(atob(data.base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const sections = {};
  let at = 0;
  for (const [name, size] of data.sections) sections[name] = bytes.subarray(at, at += size);
  return sections;
}

// Numbers as `append_number` writes them.
function numberReader(bytes) {
  let at = 0;
  return () => {
    let number = 0, weight = 1;
    for (; bytes[at] >= 128; weight *= 128) number += (bytes[at++] & 127) * weight;
    return number + bytes[at++] * weight;
  };
}
const twoBytes = (bytes, i) => bytes[2 * i] | bytes[2 * i + 1] << 8;
const bitCount = (mask) => {
  let count = 0;
  for (; mask; mask &= mask - 1) ++count;
  return count;
};

class Tree {
  constructor(data, sections) {
    Object.assign(this, {data, sections, top: data.counts.length - 1, formats: data.formats.length});
    const total = data.counts.reduce((sum, count) => sum + count, 0);
    this.first = [];  // of each level
    let first = 0;
    for (let i = 0; i <= this.top; first += data.counts[i++]) this.first[this.top - i] = first;
    this.children = new Int32Array(4 * (total - data.counts[this.top])).fill(-1);
    this.nnz = new Float64Array(total);
    this.tiles = new Float64Array(total);
    this.format = new Uint8Array(total);  // of most nonzeros
    this.has = new Int32Array(total);     // a bit for each format
    this.isSummary = new Uint8Array(total);
    this.shape = new Int32Array(data.counts[this.top]).fill(-1);  // of the tiles
    this.densest = [];  // of each level: logarithms of the least and the most nonzeros of a cell
    this.readCells();
    this.addUp();
    this.readStrips();
  }

  get isEmpty() {
    return this.nnz.length === 0;
  }
  count(level) {
    return this.data.counts[this.top - level];
  }

  readCells() {
    const {cells, links, kinds, formats, masks} = this.sections;
    const link = numberReader(links);
    let cell = 0;
    for (let level = this.top; level > 0; --level) {
      const below = this.first[level - 1];
      let next = below;
      for (let i = 0; i < this.count(level); ++i, ++cell) {
        const code = cells[cell];
        if (code === 0) this.readSummary(cell);
        for (let q = 0; q < 4; ++q)
          if (code & 1 << q) this.children[4 * cell + q] = code & 16 << q ? next++ : next - link();
      }
    }
    for (let i = 0, shape = 0; i < this.shape.length; ++i) {
      const id = this.first[0] + i;
      if (kinds[i]) {
        this.readSummary(id);
        continue;
      }
      this.shape[i] = shape;
      for (let r = 0; r < TILE; ++r) this.nnz[id] += bitCount(twoBytes(masks, TILE * shape + r));
      this.tiles[id] = 1;
      this.format[id] = formats[shape];
      this.has[id] = 1 << formats[shape++];
    }
  }

  readSummary(id) {
    const s = this.sections;
    this.summary ??= ["cut_nnz", "cut_tiles", "cut_format", "cut_formats"].map((name) => numberReader(s[name]));
    this.isSummary[id] = 1;
    [this.nnz[id], this.tiles[id], this.format[id], this.has[id]] = this.summary.map((read) => read());
  }

  // What cells hold, from what the cells below them do.
  addUp() {
    let below = null;
    for (let level = 0; level <= this.top; ++level) {
      const first = this.first[level];
      const of = new Float32Array(this.count(level) * this.formats);  // nonzeros of each format
      let least = Infinity, most = 0;
      for (let i = 0; i < this.count(level); ++i) {
        const id = first + i;
        if (level > 0 && !this.isSummary[id])
          this.addChildren(id, of.subarray(i * this.formats, (i + 1) * this.formats), below, this.first[level - 1]);
        else
          of[i * this.formats + this.format[id]] = this.nnz[id];
        least = Math.min(least, this.nnz[id]);
        most = Math.max(most, this.nnz[id]);
      }
      this.densest[level] = [Math.log(least), Math.log(most)];
      below = of;
    }
  }
  addChildren(id, sums, below, firstBelow) {
    for (let q = 0; q < 4; ++q) {
      const child = this.children[4 * id + q];
      if (child < 0) continue;
      this.nnz[id] += this.nnz[child];
      this.tiles[id] += this.tiles[child];
      this.has[id] |= this.has[child];
      for (let f = 0; f < this.formats; ++f) sums[f] += below[(child - firstBelow) * this.formats + f];
    }
    for (let f = 1; f < this.formats; ++f)
      if (sums[f] > sums[this.format[id]]) this.format[id] = f;
  }

  readStrips() {
    const read = ["strip_rows", "strip_fill", "strip_slots"].map((name) => numberReader(this.sections[name]));
    this.strips = [];
    for (let row = 0; row * TILE < this.data.matrix.rows;) {
      const [count, fill, slots] = read.map((next) => next());
      this.strips.push({end: row += count, fill: ["windows", "none"][fill], slots});
    }
  }
  stripOf(tileRow) {
    let low = 0, high = this.strips.length - 1;
    while (low < high) {
      const middle = low + high >> 1;
      this.strips[middle].end > tileRow ? high = middle : low = middle + 1;
    }
    return this.strips[low];
  }

  // The cell of the lowest level that covers this tile: {id, level, row, col}; id is -1 if nothing is there.
  find(row, col, level = 0) {
    const {rows, cols} = this.data.matrix;
    if (this.isEmpty || row < 0 || col < 0 || row * TILE >= rows || col * TILE >= cols)
      return {id: -1, level: this.top, row: 0, col: 0};
    let id = 0, l = this.top;
    while (l > level && id >= 0 && !this.isSummary[id]) {
      --l;
      const r = Math.floor(row / 2 ** l), c = Math.floor(col / 2 ** l);
      id = this.children[4 * id + 2 * (r % 2) + c % 2];
    }
    return {id, level: l, row: Math.floor(row / 2 ** l), col: Math.floor(col / 2 ** l)};
  }

  // The tile of most nonzeros under a cell, by the cells on the way.
  descend({id, level, row, col}) {
    while (level > 0 && !this.isSummary[id]) {
      let best = -1;
      for (let q = 0; q < 4; ++q) {
        const child = this.children[4 * id + q];
        if (child >= 0 && (best < 0 || this.nnz[child] > this.nnz[this.children[4 * id + best]])) best = q;
      }
      id = this.children[4 * id + best];
      [row, col] = [2 * row + (best >> 1), 2 * col + best % 2];
      --level;
    }
    return {id, level, row, col};
  }

  // The tiles of a tile row, [{col, tile}, ...]; null if some were left out.
  tilesOfRow(row) {
    const found = [];
    const visit = (id, level, col) => {
      if (this.isSummary[id]) return false;
      if (level === 0) return found.push({col, tile: this.tile(id)}) > 0;
      const half = 2 * (Math.floor(row / 2 ** (level - 1)) % 2);
      return [0, 1].every((q) => {
        const child = this.children[4 * id + half + q];
        return child < 0 || visit(child, level - 1, 2 * col + q);
      });
    };
    return visit(0, this.top, 0) ? found : null;
  }

  // What there is to know of a tile.
  tile(id) {
    const s = this.sections, shape = this.shape[id - this.first[0]];
    this.reasonIds ??= (() => {
      const next = numberReader(s.reasons);
      return Array.from(s.formats, () => next());
    })();
    const masks = Array.from({length: TILE}, (_, r) => twoBytes(s.masks, TILE * shape + r));
    const bytes = this.data.formats.slice(0, -1).map((_, f) => {
      const beyond = twoBytes(s["bytes" + f], shape);
      return beyond === 0xffff ? null : beyond + this.nnz[id] * this.data.matrix.value_bytes;
    });
    return {
      masks,
      bytes,
      nnz: this.nnz[id],
      rows: (s.sizes[shape] >> 4) + 1,
      cols: (s.sizes[shape] & 15) + 1,
      format: s.formats[shape],
      part: s.parts[shape] || TILE,
      slots: s.slots[shape] & 31,
      slotsAreRows: (s.slots[shape] & 32) > 0,
      reason: this.data.reasons[this.reasonIds[shape]]
    };
  }
}
