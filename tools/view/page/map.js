// The map: which part of the matrix is seen, how it is drawn, and how it moves.

// Colours of the formats from the emptiest to the fullest cell, as pixels.
class Palette {
  constructor(formats, isDark) {
    const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const mix = (a, b, t) => a.map((x, i) => Math.round(x + (b[i] - x) * t));
    const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    const isFaint = ([r, g, b]) => 0.3 * r + 0.6 * g + 0.1 * b < 110;
    const ground = rgb(isDark ? "#1a1a19" : "#fdfdfc");
    const own =
        formats.map(({color}) => (isDark && isFaint(rgb(color)) ? mix(rgb(color), [255, 255, 255], 0.4) : rgb(color)));
    const shades = (color) => Uint32Array.from({length: 64}, (_, i) => pixel(mix(ground, color, 0.42 + 0.58 * i / 63)));
    this.css = own.map((c) => `rgb(${c})`);
    this.shades = own.map(shades);
    this.behind = own.map((c) => pixel(mix(ground, c, 0.22)));
    this.full = own.map(pixel);
    this.dim = shades(mix(ground, rgb("#808080"), 0.35));
    this.ground = pixel(ground);
    this.outside = pixel(mix(ground, rgb("#808080"), 0.12));
  }
}

// Draws what a window {x, y, scale} shows of the tree: x and y are columns and rows, scale is pixels per column.
class Painter {
  constructor(tree, canvas) {
    Object.assign(this, {tree, canvas, context: canvas.getContext("2d")});
  }

  resize(width, height) {
    Object.assign(this.canvas, {width, height});
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  fill(x, y, right, bottom, color) {
    const {width, height} = this.canvas;
    x = Math.max(0, x);
    right = Math.min(width, right);
    bottom = Math.min(height, bottom);
    if (x >= right) return;
    for (let row = Math.max(0, y); row < bottom; ++row) this.pixels.fill(color, row * width + x, row * width + right);
  }

  // Lines from the lower left to the upper right.
  hatch(x, y, right, bottom, color) {
    const {width, height} = this.canvas, distance = Math.round(3 * this.least);
    for (let row = Math.max(0, y); row < Math.min(height, bottom); ++row) {
      let at = x + (distance - (row - y) % distance) % distance;
      if (at < 0) at %= distance;
      for (; at < Math.min(width, right); at += distance)
        if (at >= 0) this.pixels[row * width + at] = color;
    }
  }

  // `least`: pixels of the smallest cell that is drawn.
  paint(window, palette, lit, least) {
    const {tree} = this;
    const {rows, cols} = tree.data.matrix;
    Object.assign(this, {window, palette, lit, least});
    const right = Math.ceil((cols - window.x) * window.scale), bottom = Math.ceil((rows - window.y) * window.scale);
    this.pixels.fill(palette.outside);
    this.fill(
        Math.floor(-window.x * window.scale), Math.floor(-window.y * window.scale), right, bottom, palette.ground);
    this.level = Math.max(0, Math.ceil(Math.log2(least / (TILE * window.scale))));
    if (!tree.isEmpty) this.visit(0, tree.top, 0, 0);
    this.context.putImageData(this.image, 0, 0);
  }

  visit(id, level, row, col) {
    const {x, y, scale} = this.window;
    const size = TILE * 2 ** level;
    const left = (col * size - x) * scale, top = (row * size - y) * scale, length = size * scale;
    if (left >= this.canvas.width || top >= this.canvas.height || left + length <= -1 || top + length <= -1) return;
    if (level <= this.level || this.tree.isSummary[id] || level === 0) return this.cell(id, level, left, top, length);
    for (let q = 0; q < 4; ++q) {
      const child = this.tree.children[4 * id + q];
      if (child >= 0) this.visit(child, level - 1, 2 * row + (q >> 1), 2 * col + q % 2);
    }
  }

  cell(id, level, left, top, length) {
    const {tree, palette} = this;
    const format = this.lit >= 0 && tree.has[id] >> this.lit & 1 ? this.lit : tree.format[id];
    const isDim = this.lit >= 0 && format !== this.lit;
    const [low, high] = tree.densest[level];
    const shade = high - low < 0.1 ? 63 : Math.round(63 * (Math.log(tree.nnz[id]) - low) / (high - low));
    let color = (isDim ? palette.dim : palette.shades[format])[Math.max(0, Math.min(63, shade))];
    const hasNonzeros = level === 0 && !tree.isSummary[id] && length >= 2.5 * TILE;
    if (hasNonzeros && !isDim) color = palette.behind[format];
    const gap = length >= 8 ? 1 : 0;
    const x = Math.floor(left), y = Math.floor(top);
    const right = Math.max(x + Math.ceil(this.least / 2), Math.floor(left + length) - gap);
    const bottom = Math.max(y + Math.ceil(this.least / 2), Math.floor(top + length) - gap);
    const isHatched = tree.isSummary[id] && length >= 8 * this.least;  // so near that its tiles are missed
    this.fill(x, y, right, bottom, isHatched ? palette.behind[format] : color);
    if (isHatched) this.hatch(x, y, right, bottom, color);
    if (hasNonzeros) this.nonzeros(tree.tile(id), left, top, isDim ? palette.dim[63] : palette.full[format]);
  }

  nonzeros(tile, left, top, color) {
    const {scale} = this.window;
    const gap = scale >= 6 ? Math.ceil(scale / 12) : 0;
    const grey = this.palette.full.at(-1);
    for (let r = 0; r < tile.rows; ++r) {
      const y = Math.floor(top + r * scale), bottom = Math.max(y + 1, Math.floor(top + (r + 1) * scale) - gap);
      for (let c = 0, rank = 0; c < tile.cols; ++c) {
        if (!(tile.masks[r] >> c & 1)) continue;
        const x = Math.floor(left + c * scale);
        this.fill(
            x, y, Math.max(x + 1, Math.floor(left + (c + 1) * scale) - gap), bottom, rank++ < tile.part ? color : grey);
      }
    }
  }
}

class MatrixMap {
  constructor(tree, canvas, overview, events) {
    Object.assign(this, {tree, canvas, events, lit: -1, chosen: null, pointers: new Map()});
    this.painter = new Painter(tree, canvas);
    this.overview = new Painter(tree, overview);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => this.restyle());
    this.listen();
    this.measure();
    this.showAll();
    this.restyle();
    new ResizeObserver(() => this.resized()).observe(canvas);
  }

  get bounds() {
    const {rows, cols} = this.tree.data.matrix;
    return {rows: Math.max(rows, 1), cols: Math.max(cols, 1)};
  }

  measure() {
    this.ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.gutter = 24 + 6.5 * grouped(this.bounds.rows).length;  // of the numbers of rows
    this.painter.resize(
        Math.max(1, Math.round(this.width * this.ratio)), Math.max(1, Math.round(this.height * this.ratio)));
    const {rows, cols} = this.bounds;
    const most = Math.min(176, this.width / 3);
    const [width, height] = [cols, rows].map((n) => Math.max(24, Math.round(most * n / Math.max(rows, cols))));
    Object.assign(this.overview.canvas.style, {width: width + "px", height: height + "px"});
    this.overview.resize(width * this.ratio, height * this.ratio);
    this.small = {x: 0, y: 0, scale: Math.min(width / cols, height / rows) * this.ratio};
  }
  resized() {
    const middle = this.middle();
    this.measure();
    this.center(middle.row, middle.col, this.scale);
    this.paintOverview();
    this.drawNow();  // at once, since a canvas loses its picture with its size
  }
  restyle() {
    this.palette = new Palette(this.tree.data.formats, this.dark.matches);
    this.paintOverview();
    this.drawNow();
    this.events.restyled(this.palette);
  }

  // Pixels of CSS per column, from all of the matrix in the middle to a nonzero as large as a button.
  get fit() {
    return Math.min((this.width - this.gutter - 22) / this.bounds.cols, (this.height - 52) / this.bounds.rows, 40);
  }
  showAll() {
    const scale = this.fit;  // in the middle of what the axes leave
    this.center(this.bounds.rows / 2 - 11 / scale, this.bounds.cols / 2 - this.gutter / 2 / scale, scale);
  }
  middle() {
    return {row: this.y + this.height / 2 / this.scale, col: this.x + this.width / 2 / this.scale};
  }
  center(row, col, scale) {
    this.scale = Math.min(48, Math.max(this.fit * 0.8, scale));
    const {rows, cols} = this.bounds;
    this.x = Math.min(cols, Math.max(0, col)) - this.width / 2 / this.scale;
    this.y = Math.min(rows, Math.max(0, row)) - this.height / 2 / this.scale;
    this.draw();
    this.events.moved();
  }
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const row = this.y + py / this.scale, col = this.x + px / this.scale;
    const scale = Math.min(48, Math.max(this.fit * 0.8, this.scale * factor));
    this.center(row + (this.height / 2 - py) / scale, col + (this.width / 2 - px) / scale, scale);
  }
  pan(dx, dy) {
    const {row, col} = this.middle();
    this.center(row - dy / this.scale, col - dx / this.scale, this.scale);
  }
  showTile(row, col) {
    const scale = Math.max(this.scale, Math.min(this.width, this.height) / (6 * TILE));
    this.center((row + 0.5) * TILE, (col + 0.5) * TILE, scale);
  }

  // Of a point of the canvas: row and column, and the smallest cell that the map has there.
  at(px, py) {
    const row = Math.floor(this.y + py / this.scale), col = Math.floor(this.x + px / this.scale);
    const {rows, cols} = this.tree.data.matrix;
    if (row < 0 || col < 0 || row >= rows || col >= cols) return null;
    return {row, col, cell: this.tree.find(Math.floor(row / TILE), Math.floor(col / TILE), this.painter.level)};
  }

  draw() {
    if (this.palette) this.frame ??= requestAnimationFrame(() => this.drawNow());
  }
  drawNow() {
    this.frame = null;
    const {ratio} = this, {context} = this.painter;
    this.painter.paint({x: this.x, y: this.y, scale: this.scale * ratio}, this.palette, this.lit, 2 * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawChosen(context);
    this.drawAxes(context);
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.drawWindow();
  }
  drawChosen(context) {
    if (!this.chosen) return;
    const size = Math.max(9, TILE * this.scale + 2);
    const [x, y] = [this.chosen.col, this.chosen.row].map(
        (n, i) => ((n + 0.5) * TILE - (i ? this.y : this.x)) * this.scale - size / 2);
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("color");
    context.lineWidth = 2;
    context.strokeRect(x, y, size, size);
  }
  drawAxes(context) {
    const style = getComputedStyle(this.canvas.parentElement);
    context.font = "11px " + style.fontFamily;
    context.textBaseline = "middle";
    const step = (least) => {
      for (let power = 1;; power *= 10)
        for (const digit of [1, 2, 5])
          if (digit * power * this.scale >= least) return digit * power;
    };
    const labels = (length, from, end, least, place) => {
      const by = step(least);
      for (let n = Math.max(0, Math.ceil(from / by) * by); n < end && (n - from) * this.scale < length; n += by)
        place(grouped(n), (n - from) * this.scale);
    };
    context.fillStyle = style.backgroundColor;
    context.globalAlpha = 0.86;
    context.fillRect(0, 0, this.width, 22);
    context.fillRect(0, 22, this.gutter, this.height);
    context.globalAlpha = 1;
    context.fillStyle = style.color;
    context.textAlign = "center";
    labels(this.width, this.x, this.bounds.cols, 110, (text, x) => {
      if (x < this.gutter + 18) return;
      context.fillText(text, x, 9);
      context.fillRect(x, 17, 1, 5);
    });
    context.textAlign = "right";
    labels(this.height, this.y, this.bounds.rows, 60, (text, y) => {
      if (y < 32) return;
      context.fillText(text, this.gutter - 8, y);
      context.fillRect(this.gutter - 5, y, 5, 1);
    });
  }
  paintOverview() {
    this.overview.paint(this.small, this.palette, this.lit, 2 * this.ratio);
    this.overviewImage =
        this.overview.context.getImageData(0, 0, this.overview.canvas.width, this.overview.canvas.height);
  }
  drawWindow() {
    const {context, canvas} = this.overview, {scale} = this.small;
    canvas.hidden = this.scale <= this.fit;
    context.putImageData(this.overviewImage, 0, 0);
    const width = Math.max(8 * this.ratio, this.width / this.scale * scale);
    const height = Math.max(8 * this.ratio, this.height / this.scale * scale);
    const {row, col} = this.middle();
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 1.5 * this.ratio;
    context.strokeRect(col * scale - width / 2, row * scale - height / 2, width, height);
  }

  press(key, isLarge) {
    const step = isLarge ? 0.8 : 0.2;
    const moves = {
      ArrowLeft: () => this.pan(this.width * step, 0),
      ArrowRight: () => this.pan(-this.width * step, 0),
      ArrowUp: () => this.pan(0, this.height * step),
      ArrowDown: () => this.pan(0, -this.height * step),
      "+": () => this.zoom(1.5),
      "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      0: () => this.showAll(),
      Home: () => this.showAll(),
      Enter: () => this.events.choose(this.at(this.width / 2, this.height / 2))
    };
    moves[key]?.();
    return key in moves;
  }

  listen() {
    const {canvas, pointers} = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && this.press(event.key, event.shiftKey)) event.preventDefault();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      this.zoom(
          Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.004)),
          ...place(event));
    }, {passive: false});
    canvas.addEventListener("dblclick", (event) => this.zoom(2, ...place(event)));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      if (pointers.size === 1) this.pressed = place(event);
      if (pointers.size > 1) this.pressed = null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = place(event), before = pointers.get(event.pointerId);
      if (!before) return this.events.hovered(this.at(...now));
      if (this.pressed && Math.hypot(now[0] - this.pressed[0], now[1] - this.pressed[1]) < 4) return;
      if (this.pressed) canvas.classList.add("dragged");
      this.pressed = null;
      pointers.set(event.pointerId, now);
      if (pointers.size === 1) return this.pan(now[0] - before[0], now[1] - before[1]);
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const distance = (a) => Math.max(1, Math.hypot(a[0] - other[0], a[1] - other[1]));
      this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
      this.zoom(distance(now) / distance(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove("dragged");
      if (this.pressed && event.type === "pointerup") this.events.choose(this.at(...place(event)));
      this.pressed = null;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => this.events.hovered(null));
    const small = this.overview.canvas;
    const jump = (event) => {
      if (event.buttons === 0) return;
      const box = small.getBoundingClientRect(), scale = this.small.scale / this.ratio;
      this.center((event.clientY - box.top) / scale, (event.clientX - box.left) / scale, this.scale);
    };
    small.addEventListener("pointerdown", jump);
    small.addEventListener("pointermove", jump);
  }
}
