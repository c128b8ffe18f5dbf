// Parallel coordinates, slices, responses and calibration on canvases.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (v) => String(+v.toPrecision(4));

// prepare gives a canvas a size in CSS pixels and clears it. Canvases in parts that htmx
// replaces have no id: it would copy their style attribute, which the policy forbids.
function prepare(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  return g;
}

// scale maps values to pixels.
function scale(low, high, from, to, log) {
  const f = log ? Math.log : (v) => v;
  const a = f(low), b = f(high);
  return (v) => (b === a ? (from + to) / 2 : from + ((f(v) - a) / (b - a)) * (to - from));
}

function ends(axis) {
  if (axis.labels) return [axis.labels[0], axis.labels[axis.labels.length - 1]];
  return [short(axis.low), short(axis.high)];
}

function clip(text, most) {
  return text.length > most ? text.slice(0, most - 1) + "…" : text;
}

export function drawParallel(points) {
  const canvas = document.getElementById("parallel"), axes = points.axes, n = points.numbers.length;
  const width = Math.max(canvas.parentElement.clientWidth, 90 * axes.length), height = 260;
  const g = prepare(canvas, width, height);
  const top = 34, bottom = height - 24, x = scale(0, Math.max(axes.length - 1, 1), 46, width - 46);
  const y = axes.map((a) => scale(a.low, a.high, bottom, top, a.log));
  const line = (i, colour, wide) => {
    g.strokeStyle = colour;
    g.lineWidth = wide;
    g.beginPath();
    axes.forEach((a, k) => g.lineTo(x(k), y[k](a.at[i])));
    g.stroke();
  };
  const good = n - Math.max(1, Math.ceil(n / 10));
  g.globalAlpha = 0.25;
  for (let i = 0; i < good; i++) line(i, css("--soft"), 1);
  g.globalAlpha = 0.8;
  for (let i = Math.max(good, 0); i < n; i++) line(i, css("--accent"), i === n - 1 ? 3 : 1.3);
  g.globalAlpha = 1;
  g.textAlign = "center";
  axes.forEach((a, k) => {
    g.strokeStyle = css("--ink");
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x(k), top);
    g.lineTo(x(k), bottom);
    g.stroke();
    const [low, high] = ends(a);
    g.fillStyle = css("--ink");
    g.fillText(clip(a.name, 14), x(k), 13);
    g.fillStyle = css("--soft");
    g.fillText(clip(high, 12), x(k), 28);
    g.fillText(clip(low, 12), x(k), height - 8);
  });
  canvas.dataset.lines = n;
  canvas.setAttribute("aria-label", `Parallel coordinates of ${n} trials over ${axes.map((a) => a.name).join(", ")}`);
}

// panel is a small chart with values upwards: dots, and a curve with its band.
function panel(canvas, { width, height, x, lowY, highY, dots, curve, ticks }) {
  const g = prepare(canvas, width, height);
  const left = 52, bottom = height - 20, px = x(left, width - 8), py = scale(lowY, highY, bottom - 4, 8);
  g.strokeStyle = css("--rule");
  g.strokeRect(left, 4, width - left - 4, bottom - 4);
  g.save();
  g.beginPath();
  g.rect(left, 4, width - left - 4, bottom - 4);
  g.clip();
  if (curve) {
    g.fillStyle = css("--band");
    g.beginPath();
    curve.at.forEach((v, i) => g.lineTo(px(v), py(curve.high[i])));
    for (let i = curve.at.length - 1; i >= 0; i--) g.lineTo(px(curve.at[i]), py(curve.low[i]));
    g.fill();
  }
  g.fillStyle = css("--soft");
  for (const [v, value] of dots) {
    g.beginPath();
    g.arc(px(v), py(value), 2, 0, 7);
    g.fill();
  }
  if (curve) {
    g.strokeStyle = css("--accent");
    g.lineWidth = 2;
    g.beginPath();
    curve.at.forEach((v, i) => g.lineTo(px(v), py(curve.median[i])));
    g.stroke();
  }
  g.restore();
  g.fillStyle = css("--soft");
  g.textAlign = "right";
  g.fillText(short(highY), left - 4, 14);
  g.fillText(short(lowY), left - 4, bottom);
  g.textAlign = "left";
  g.fillText(clip(ticks[0], 12), left, height - 5);
  g.textAlign = "right";
  g.fillText(clip(ticks[1], 12), width - 4, height - 5);
  canvas.dataset.dots = dots.length;
}

function range(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (!(low <= high)) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

const mostSlices = 6;

export function drawSlices(points, model) {
  const place = document.getElementById("slices"), axes = points.axes.slice(0, mostSlices);
  while (place.children.length > axes.length) place.lastChild.remove();
  while (place.children.length < axes.length) {
    const figure = document.createElement("figure");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    figure.append(canvas, document.createElement("figcaption"));
    place.append(figure);
  }
  const [lowY, highY] = range(points.values);
  axes.forEach((a, k) => {
    const [canvas, caption] = place.children[k].children;
    const slice = ((model && model.slices) || []).find((s) => s.param === a.name);
    caption.textContent = a.name + (a.unit ? " (" + a.unit + ")" : "");
    canvas.setAttribute("aria-label", "Values against " + a.name);
    panel(canvas, {
      width: place.children[k].clientWidth, height: 150, lowY, highY, ticks: ends(a),
      x: (from, to) => scale(a.low, a.high, from, to, a.log),
      dots: a.at.map((v, i) => [v, points.values[i]]),
      curve: slice && { ...slice, at: slice.at || slice.labels.map((_, i) => i) },
    });
  });
}

export function drawResponses(directions) {
  for (const place of document.querySelectorAll("[data-response]")) {
    const r = directions && directions[place.dataset.response]?.response;
    if (!r) continue;
    if (!place.firstChild) place.append(document.createElement("canvas"));
    const seen = r.seen || [];
    const [low, high] = range(r.at), [lowY, highY] = range([...seen.map((s) => s.value), ...r.median]);
    panel(place.firstChild, {
      width: place.clientWidth, height: 190, lowY, highY, ticks: [short(low), short(high)],
      x: (from, to) => scale(low, high, from, to), dots: seen.map((s) => [s.at, s.value]), curve: r,
    });
  }
}

export function drawCalibration(calibration) {
  const canvas = document.querySelector("canvas.calibration");
  if (!canvas || !calibration) return;
  const p = calibration.points || [];
  const [low, high] = range(p.flatMap((q) => [q.observed, q.median]));
  panel(canvas, {
    width: canvas.parentElement.clientWidth, height: 240, lowY: low, highY: high, ticks: ["predicted " + short(low), short(high)],
    x: (from, to) => scale(low, high, from, to), dots: p.map((q) => [q.median, q.observed]),
    curve: { at: [low, high], median: [low, high], low: [low, high], high: [low, high] },
  });
}
