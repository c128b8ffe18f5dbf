// The chart of convergence, by uPlot.
let plot = null, drawn = "";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const short = (v) => (v === null || v === undefined ? "–" : String(+v.toPrecision(6)));

function options(width, log) {
  const axis = { stroke: css("--soft"), grid: { stroke: css("--rule"), width: 1 }, ticks: { stroke: css("--rule") }, font: "12px system-ui, sans-serif" };
  return {
    width, height: 280,
    scales: { x: { time: false }, y: { distr: log ? 3 : 1 } },
    axes: [{ ...axis }, { ...axis, size: 64, values: (_, ticks) => ticks.map((v) => (v === null ? "" : short(v))) }],
    cursor: { drag: { x: true, y: false } },
    series: [
      { label: "trial" },
      { label: "value", stroke: css("--soft"), paths: () => null, points: { show: true, size: 5, fill: css("--soft"), stroke: css("--soft") }, value: (_, v) => short(v) },
      { label: "best so far", stroke: css("--accent"), width: 2.5, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, value: (_, v) => short(v) },
    ],
  };
}

export function drawCurve(curve, goal) {
  const place = document.getElementById("curve"), note = document.getElementById("curve-note"), box = document.getElementById("log-scale");
  const n = curve.numbers.length;
  box.disabled = !(n > 0 && curve.values.every((v) => v > 0));
  const log = box.checked && !box.disabled;
  const text = n === 0 ? "No trial is complete yet." : n < curve.total ? `${n} of ${curve.total} complete trials are drawn: the highest and lowest of every stretch.` : "";
  if (note.textContent !== text) note.textContent = text;
  const width = Math.max(200, place.clientWidth);
  const how = [width, log, css("--ink")].join();
  const data = [curve.numbers, curve.values, curve.best];
  if (plot && how === drawn) plot.setData(data);
  else {
    if (plot) plot.destroy();
    plot = new uPlot(options(width, log), data, place);
    drawn = how;
  }
  place.dataset.points = n;
  place.setAttribute("aria-label", n === 0 ? "No values yet" : `Values of ${curve.total} trials to ${goal}; the best is ${short(curve.best[n - 1])}`);
}
