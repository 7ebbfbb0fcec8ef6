// Paints a network. With many ties a move shows the last picture shifted, and a sharp one once it rests.

const MANY_TIES = 6000;
const CROWDED = 1500; // ties, from which they grow pale so that people stand out
const MANY_DELETED = 100; // from which deleted ties grow pale, too
const REST = 120; // milliseconds without a move

/** A function that paints the network as placed, with one person selected. */
export function painted(canvas, nodes, edges, deletedAs) {
  const context = canvas.getContext("2d");
  const kept = pathOf(
    nodes,
    edges.filter((edge) => !edge[2]),
  );
  const gone = edges.filter((edge) => edge[2]);
  const deleted = pathOf(nodes, gone);
  const neighbours = (index) => edges.filter((edge) => edge[0] === index || edge[1] === index);
  let sharp = null; // a sharp picture and how it was placed
  let resting = 0;

  const ties = (place, colours) => {
    context.globalAlpha = Math.min(1, Math.max(0.16, Math.sqrt(CROWDED / edges.length)));
    line(context, kept, place, colours.tie, edges.length > MANY_TIES ? 0.6 : 0.9, []);
    context.globalAlpha = Math.min(1, Math.max(0.6, Math.sqrt(MANY_DELETED / (gone.length || 1))));
    if (deletedAs !== null)
      line(
        context,
        deleted,
        place,
        colours.risk,
        gone.length > MANY_DELETED ? 1 : 1.8,
        deletedAs === "dashed" ? [5, 4] : [],
      );
    context.globalAlpha = 1;
  };
  const people = (place, colours) => {
    const radius = (nodes.length < 120 ? 6 : nodes.length < 600 ? 4.5 : 3) * Math.min(2.2, place.zoom ** 0.4);
    context.lineWidth = 1;
    context.strokeStyle = colours.paper;
    for (const atRisk of [false, true]) {
      context.fillStyle = atRisk ? colours.risk : colours.safe;
      context.beginPath();
      for (const node of nodes) {
        if (Boolean(node.atRisk) === atRisk)
          mark(context, place.x(node.x), place.y(node.y), atRisk ? radius * 1.15 : radius, atRisk);
      }
      context.fill();
      if (nodes.length < 600) context.stroke();
    }
    return radius;
  };
  const everything = (place, size, colours, selected) => {
    context.clearRect(0, 0, size.width, size.height);
    ties(place, colours);
    if (selected !== null) {
      line(context, pathOf(nodes, neighbours(selected)), place, colours.ink, 1.8, []);
    }
    const radius = people(place, colours);
    if (selected !== null) {
      context.lineWidth = 3;
      context.strokeStyle = colours.ink;
      context.beginPath();
      context.arc(place.x(nodes[selected].x), place.y(nodes[selected].y), radius + 5, 0, 2 * Math.PI);
      context.stroke();
    }
  };

  return (place, size, selected) => {
    const colours = coloursOf(canvas);
    const dense = devicePixelRatio || 1;
    const wanted = [Math.round(size.width * dense), Math.round(size.height * dense)];
    const same = canvas.width === wanted[0] && canvas.height === wanted[1];
    if (!same) [canvas.width, canvas.height] = wanted;
    context.setTransform(dense, 0, 0, dense, 0, 0);
    const shifts = sharp && same && sharp.selected === selected && edges.length > MANY_TIES;
    if (
      !shifts ||
      (sharp.place.left === place.left && sharp.place.across === place.across && sharp.place.top === place.top)
    ) {
      everything(place, size, colours, selected);
      if (edges.length > MANY_TIES) sharp = { picture: copied(canvas), place, selected };
      return;
    }
    const scale = place.across / sharp.place.across;
    context.clearRect(0, 0, size.width, size.height);
    const left = place.left - sharp.place.left * scale;
    const top = place.top - sharp.place.top * scale;
    context.drawImage(sharp.picture, left, top, size.width * scale, size.height * scale);
    clearTimeout(resting);
    resting = setTimeout(() => {
      everything(place, size, colours, selected);
      sharp = { picture: copied(canvas), place, selected };
    }, REST);
  };
}

/** Ties as one path in places of the drawing, so that a move needs no new one. */
function pathOf(nodes, edges) {
  const path = new Path2D();
  for (const [one, other] of edges) {
    path.moveTo(nodes[one].x, nodes[one].y);
    path.lineTo(nodes[other].x, nodes[other].y);
  }
  return path;
}

function line(context, path, place, colour, width, dashes) {
  const placedPath = new Path2D();
  placedPath.addPath(path, new DOMMatrix([place.across, 0, 0, place.down, place.left, place.top]));
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.setLineDash(dashes);
  context.stroke(placedPath);
  context.setLineDash([]);
}

function mark(context, x, y, radius, diamond) {
  if (diamond) {
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y);
    context.lineTo(x, y + radius);
    context.lineTo(x - radius, y);
    context.closePath();
  } else {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
}

function copied(canvas) {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
}

/** The page's colours as they are now, light or dark. */
function coloursOf(canvas) {
  const style = getComputedStyle(canvas);
  const probe = document.createElement("span");
  canvas.parentNode.append(probe);
  const colour = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    ink: style.color,
    tie: colour("--chart-before"),
    risk: colour("--chart-risk"),
    safe: colour("--chart-after"),
    paper: colour("--paper"),
  };
  probe.remove();
  return found;
}
