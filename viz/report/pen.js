/// How much the last frame of each picture took: shapes drawn, and messages looked at.
const drawn = { shapes: {}, messages: {} };

/// The page's colours, as its style sheet gives them in light and dark.
const colours = {
  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "paper", "panel", "line", "link", "way", "chosen", "block", "line-0", "line-1", "line-2", "line-3", "line-4", "twice"])
      this[name] = style.getPropertyValue(`--${name}`).trim();
    this.levels = Array.from({ length: 7 }, (_, k) => style.getPropertyValue(`--level-${k}`).trim());
    this.onLevel = style.getPropertyValue("--on-level").trim();
  },

  /// For a part of the whole, from 0 to 1; nothing has a level of its own.
  level(part) {
    return part <= 0 ? this.levels[0] : this.levels[Math.min(6, 1 + Math.floor(part * 5.999))];
  },
};

const font = '"Liberation Sans", Arial, sans-serif';

/// Draws on a canvas, in its CSS pixels, and counts.
class Pen {
  constructor(canvas, name) {
    [this.canvas, this.name] = [canvas, name];
    this.context = canvas.getContext("2d");
  }

  /// Clears the canvas for a frame.
  begin() {
    const { canvas, context } = this;
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [canvas.clientWidth, canvas.clientHeight];
    const [wide, high] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    [this.shapes, this.messages] = [0, 0];
  }

  end() {
    drawn.shapes[this.name] = this.shapes;
    drawn.messages[this.name] = this.messages;
  }

  clip(x, y, width, height) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip() {
    this.context.restore();
  }

  rectangle(x, y, width, height, fill) {
    ++this.shapes;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }

  frame(x, y, width, height, stroke, thick = 1) {
    ++this.shapes;
    Object.assign(this.context, { strokeStyle: stroke, lineWidth: thick });
    this.context.strokeRect(x, y, width, height);
  }

  circle(x, y, radius, fill, stroke, thick = 1) {
    ++this.shapes;
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      Object.assign(context, { strokeStyle: stroke, lineWidth: thick });
      context.stroke();
    }
  }

  line(x1, y1, x2, y2, stroke, thick = 1, dash = []) {
    ++this.shapes;
    const { context } = this;
    Object.assign(context, { strokeStyle: stroke, lineWidth: thick });
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.setLineDash([]);
  }

  /// A line with a head at its end, which is open if the message copies.
  arrow(x1, y1, x2, y2, stroke, thick, { dash = [], isOpen = false, size = 7 } = {}) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return;
    const head = Math.min(size + thick, 0.4 * length);
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [bx, by] = [x2 - head * ux, y2 - head * uy];
    this.line(x1, y1, isOpen ? x2 : bx, isOpen ? y2 : by, stroke, thick, dash);
    ++this.shapes;
    const { context } = this;
    context.beginPath();
    context.moveTo(bx - 0.42 * head * uy, by + 0.42 * head * ux);
    context.lineTo(x2, y2);
    context.lineTo(bx + 0.42 * head * uy, by - 0.42 * head * ux);
    Object.assign(context, { strokeStyle: stroke, fillStyle: stroke, lineWidth: Math.min(thick, 1.5) });
    if (isOpen) context.stroke();
    else context.fill();
  }

  text(text, x, y, fill, { size = 12, align = "left", halo = false, bold = false } = {}) {
    ++this.shapes;
    const { context } = this;
    Object.assign(context, { font: `${bold ? "bold " : ""}${size}px ${font}`, textAlign: align, textBaseline: "middle", fillStyle: fill });
    if (halo) {
      Object.assign(context, { strokeStyle: colours.paper, lineWidth: 3, lineJoin: "round" });
      context.strokeText(text, x, y);
    }
    context.fillText(text, x, y);
  }

  textWidth(text, size = 12) {
    this.context.font = `${size}px ${font}`;
    return this.context.measureText(text).width;
  }
}

/// A canvas whose picture can be moved by dragging, and made larger with Ctrl and the wheel. `picture` has `draw(pen)`,
/// `moveBy(dx, dy)`, `zoom(factor, x, y)`, `clicked(x, y)` and `hovered(x, y)`, in pixels.
class Stage {
  constructor(canvas, name, picture) {
    Object.assign(this, { canvas, picture, pen: new Pen(canvas, name) });
    canvas.addEventListener("wheel", (e) => this.wheeled(e), { passive: false });
    canvas.addEventListener("pointerdown", (e) => this.pressed(e));
    canvas.addEventListener("pointermove", (e) => this.moved(e));
    canvas.addEventListener("pointerup", (e) => this.released(e));
    for (const end of ["pointercancel", "pointerleave"]) canvas.addEventListener(end, () => this.left());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  draw() {
    if (this.canvas.clientWidth === 0) return;
    this.pen.begin();
    this.picture.draw(this.pen);
    this.pen.end();
  }

  wheeled(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.picture.zoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX, event.offsetY);
  }

  pressed(event) {
    this.from = [event.offsetX, event.offsetY];
    this.wasDragged = false;
  }

  moved(event) {
    const { offsetX: x, offsetY: y } = event;
    if (!this.from || event.buttons === 0) return this.picture.hovered(x, y);
    const [dx, dy] = [x - this.from[0], y - this.from[1]];
    if (!this.wasDragged && Math.hypot(dx, dy) < 4) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.wasDragged = true;
    this.from = [x, y];
    this.picture.moveBy(dx, dy);
  }

  released(event) {
    if (this.from && !this.wasDragged) this.picture.clicked(event.offsetX, event.offsetY);
    this.from = null;
  }

  left() {
    this.from = null;
    this.picture.hovered(null, null);
  }
}
