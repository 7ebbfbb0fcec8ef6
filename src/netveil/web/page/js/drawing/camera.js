// What part of a drawing is seen: moved and magnified by pointer, wheel, buttons and keys. Two drawings may share one.

/** A camera over places from 0 to 1 both ways; `listeners` are told of every move. */
export function camera() {
  const listeners = new Set();
  const view = { zoom: 1, x: 0.5, y: 0.5 };
  const tell = () => listeners.forEach((listener) => listener());
  return {
    view,
    listen: (listener) => listeners.add(listener),
    /** Moves by a share of what is seen. */
    move(dx, dy) {
      view.x = within(view.x + dx / view.zoom);
      view.y = within(view.y + dy / view.zoom);
      tell();
    },
    /** Magnifies around a place of the drawing. */
    magnify(factor, around = view) {
      const zoom = Math.max(1, Math.min(40, view.zoom * factor));
      const kept = view.zoom / zoom;
      view.x = within(around.x + (view.x - around.x) * kept);
      view.y = within(around.y + (view.y - around.y) * kept);
      view.zoom = zoom;
      tell();
    },
    /** Brings a place into the middle if it is not seen. */
    show(x, y) {
      const seen = 0.45 / view.zoom;
      if (Math.abs(x - view.x) < seen && Math.abs(y - view.y) < seen) return;
      view.x = within(x);
      view.y = within(y);
      tell();
    },
    whole() {
      Object.assign(view, { zoom: 1, x: 0.5, y: 0.5 });
      tell();
    },
  };
}

function within(place) {
  return Math.max(0, Math.min(1, place));
}
