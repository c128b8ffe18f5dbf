// Charts of the dashboard and of reports, drawn by ECharts from the data that the API answers
// with. docs/ARCHITECTURE.md, "Charts", says how to add one.
const root = document.documentElement;
const css = (name, other = "#888") => getComputedStyle(root).getPropertyValue(name).trim() || other;
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
const viridis = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"]; // from bad to good

// short writes a number with few digits, as people do, but with all digits before the point of one that is not very large.
export function short(v, digits = 5) {
  if (v === null || v === undefined || !Number.isFinite(v)) return "–";
  const size = Math.abs(v), large = size >= 1e12;
  if (size >= 1e5 && !large) digits = Math.max(digits, Math.floor(Math.log10(size)) + 1);
  const rounded = +v.toPrecision(digits);
  return (large ? rounded.toExponential() : String(rounded)).replace("e+", "e");
}

// teller returns what writes numbers of a list, or between two, with enough digits to tell them apart: to a thousandth of their range or finer.
function teller(values, digits = 5) {
  const list = values.filter((v) => Number.isFinite(v)), low = list.reduce((a, b) => Math.min(a, b), Infinity), high = list.reduce((a, b) => Math.max(a, b), -Infinity);
  const needed = high > low ? Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low))) + 4 : 0;
  return (v) => short(v, between(needed, digits, 16));
}

// lasting writes a number of seconds.
export function lasting(seconds) {
  if (seconds < 1) return short(seconds * 1000, 3) + " ms";
  if (seconds < 120) return short(seconds, 3) + " s";
  if (seconds < 7200) return short(seconds / 60, 3) + " min";
  if (seconds < 172800) return short(seconds / 3600, 3) + " h";
  return short(seconds / 86400, 3) + " days";
}

const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const named = (axis) => axis.unit ? `${axis.name || axis.param} (${axis.unit})` : axis.name || axis.param;
// towards is the name of an axis of values and which way is better, where that is the same for all.
const towards = (name, goal) => (goal ? `${name}, ${goal === "maximize" ? "higher" : "lower"} is better` : name);
const between = (v, low, high) => Math.min(Math.max(v, low), high);

// tip is the content of a tooltip: a title and rows of a name and a value.
export function tip(title, rows) {
  const box = document.createElement("div");
  box.className = "tip";
  const head = document.createElement("b");
  head.textContent = title;
  box.append(head);
  for (const [name, value] of rows) {
    if (value === undefined || value === null) continue;
    const row = document.createElement("div"), label = document.createElement("span"), text = document.createElement("span");
    label.textContent = name;
    text.textContent = value;
    row.append(label, text);
    box.append(row);
  }
  return box;
}

// visible is the range of values that a chart shows: all but the worst twentieth, which would
// hide the others, where it is known which way is worse.
function visible(values, goal) {
  const sorted = [...values].sort((a, b) => a - b), skip = goal ? Math.floor(sorted.length / 20) : 0;
  const low = goal === "maximize" ? sorted[skip] : sorted[0];
  const high = goal === "maximize" ? sorted[sorted.length - 1] : sorted[sorted.length - 1 - skip];
  return [low, high];
}

// ordinary is the range of values without those that would hide the others: the worst twentieth, and
// what lies farther from the middle half than three times its width.
function ordinary(values, goal) {
  const sorted = [...values].sort((a, b) => a - b), n = sorted.length, [a, b] = visible(sorted, goal);
  const first = sorted[Math.floor((n - 1) / 4)], third = sorted[Math.ceil((3 * (n - 1)) / 4)], room = 3 * (third - first);
  const inside = room > 0 ? sorted.filter((v) => v >= Math.max(a, first - room) && v <= Math.min(b, third + room)) : [a, b];
  return [inside[0], inside[inside.length - 1]];
}

// beyond says how many trials are drawn where they are not.
const beyond = (outside, of, what) => (outside ? `${outside} of ${of} trials ${outside === 1 ? "lies beyond" : "lie beyond"} ${what} and ${outside === 1 ? "is" : "are"} drawn there.` : "");

// What ECharts can place: the width of an axis is a finite number, and so are its steps and their reciprocals.
const largest = 8e307, finest = 1e-290;

// frame leaves a little room on both sides.
function frame(low, high, log) {
  if (log) {
    const room = high ** 0.05 / low ** 0.05 || 1.1;
    return [Math.max(low / room, finest), Math.min(high * room, largest)];
  }
  [low, high] = [between(low, -largest, largest), between(high, -largest, largest)];
  const room = Math.max(0.05 * (high - low) || 0.05 * Math.abs(high) || 1, finest);
  return [between(low - room, -largest, largest), between(high + room, -largest, largest)];
}

// environment is what a kind of chart may use: colours of the page, and how wide the chart is.
function environment(width) {
  return {
    width, narrow: width < 520, palette,
    ink: css("--ink", "#202124"), soft: css("--soft"), rule: css("--rule", "#ddd"), accent: css("--accent", "#0072b2"),
    paper: css("--card", "") || css("--paper", "#fff"), best: "#d55e00",
    state: (name) => css("--" + name, { stopped: "#4d7c8a", running: "#2f9e57", failed: "#c2402f" }[name] || "#888"),
  };
}

// inner is the labels of an axis from low to high, without those of its ends.
const inner = (env, low, high, more = {}) => {
  const write = teller([low, high]);
  return { color: env.soft, fontSize: 11, hideOverlap: true, formatter: (v) => (v === low || v === high ? "" : write(v)), ...more };
};

// axis is one with the page's colours; name is its label. Its numbers have the digits that its ends need, or those of a range.
function axis(env, more) {
  const { name, whole, log, labels, across, range = [more.min, more.max], ...rest } = more;
  const most = across && labels ? Math.max(4, Math.floor((env.width - 70) / labels.length / 6.6)) : env.narrow ? 10 : 16;
  const text = labels ? (v) => (Number.isInteger(v) && labels[v] !== undefined ? clip(labels[v], most) : "") : teller(range, 6);
  return {
    type: log ? "log" : "value", name, nameLocation: "middle", nameGap: 30, nameTextStyle: { color: env.soft, fontSize: 12 },
    minInterval: whole || labels ? 1 : undefined, scale: true,
    axisLine: { show: true, onZero: false, lineStyle: { color: env.rule } }, axisTick: { lineStyle: { color: env.rule } },
    axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true, formatter: text },
    splitLine: { lineStyle: { color: env.rule, opacity: 0.6 } },
    ...rest,
    ...(labels ? labelled(env, labels, text) : {}),
  };
}

// labelled is what an axis of labels has instead: a tick for each.
function labelled(env, labels, text) {
  const places = labels.map((_, i) => i);
  return {
    min: -0.5, max: labels.length - 0.5, splitLine: { show: false }, axisTick: { customValues: places, lineStyle: { color: env.rule } },
    axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true, customValues: places, formatter: text },
  };
}

// upright is the axis of values: its name stands above it.
const upright = (env, more) => axis(env, { nameLocation: "end", nameGap: 12, nameTextStyle: { color: env.soft, fontSize: 12, align: "left" }, ...more });

// plain is what all charts begin with.
function plain(env, more) {
  return {
    animation: false, color: palette, backgroundColor: "transparent", textStyle: { fontFamily: "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif", color: env.ink },
    grid: { left: 14, right: 22, top: 34, bottom: 34, containLabel: true },
    tooltip: { trigger: "item", confine: true, backgroundColor: env.paper, borderColor: env.rule, textStyle: { color: env.ink, fontSize: 13 }, formatter: (p) => p.data?.tip?.() || "" },
    ...more,
  };
}

// dotsBig draws trials; a point with a trial opens its page.
const marker = (env, x, y, label, text = short(y)) => ({
  type: "scatter", z: 5, symbolSize: 11, itemStyle: { color: env.best, borderColor: env.paper, borderWidth: 1.5 },
  data: [{ value: [x, y], tip: () => tip("best point", [[label, text]]) }],
});

// band is the area between two curves.
function band(x, low, high, colour) {
  const base = { type: "line", symbol: "none", silent: true, lineStyle: { opacity: 0 }, stack: "band", stackStrategy: "all" };
  return [
    { ...base, data: x.map((v, i) => [v, low[i]]) },
    { ...base, data: x.map((v, i) => [v, high[i] - low[i]]), areaStyle: { color: colour, opacity: 0.16 } },
  ];
}

// zoom lets one look at a part: a slider below, two fingers, or the wheel with Ctrl.
const zoom = (env) => [
  { type: "inside", xAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, preventDefaultMouseMove: false },
  {
    type: "slider", xAxisIndex: 0, filterMode: "none", height: 16, bottom: 6, showDetail: false, brushSelect: false, borderColor: env.rule, fillerColor: env.accent + "22",
    handleStyle: { color: env.accent, borderColor: env.accent }, moveHandleSize: 0, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
    selectedDataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
  },
];

// kinds are the charts by name: functions from data and environment to what is drawn,
//   { option, height, label, note, empty },
// option for ECharts, label for those who cannot see it, note what stands below, empty why there is nothing to draw.
export const kinds = {};

// Values of the trials and the best so far; of several studies the best so far only.
kinds.convergence = ({ goal, studies, log, value = "value" }, env) => {
  const drawn = studies.filter((s) => s.curve.numbers.length > 0), single = studies.length === 1;
  if (drawn.length === 0) return { empty: "No trial is complete yet." };
  // The best so far is null before the first trial that keeps all limits.
  const seen = drawn.map((s) => (single ? s.curve.values : s.curve.best).filter((v) => v !== null)).filter((list) => list.length > 0);
  if (seen.length === 0) return { empty: "No trial keeps all limits yet." };
  const all = seen.flat(), write = teller(all, 6), ranges = seen.map((list) => visible(list, goal));
  const least = Math.min(...ranges.map((r) => r[0])), most = Math.max(...ranges.map((r) => r[1]));
  const can = all.every((v) => v > 0);
  if (log === undefined) log = can && least > 0 && most > 50 * least;
  log = log && can;
  const [low, high] = frame(least, most, log);
  const inside = (v) => between(v, low, high);
  const last = Math.max(...drawn.map((s) => s.curve.numbers[s.curve.numbers.length - 1]));
  const series = [];
  for (const [k, s] of drawn.entries()) {
    const c = s.curve, of = single ? [] : [["study", s.name]];
    const item = (i, v) => ({ value: [c.numbers[i], v === null ? null : inside(v)], trial: c.numbers[i], study: s.name, tip: () => tip("trial " + c.numbers[i], [...of, [single ? clip(value, 24) : "value", write(c.values[i])], ["best so far", write(c.best[i])]]) });
    if (single) series.push({
      name: "value of a trial", type: "scatter", symbolSize: env.narrow ? 5 : 6, cursor: "pointer", itemStyle: { color: env.soft, opacity: 0.65 }, emphasis: { scale: 1.8, itemStyle: { color: env.accent, opacity: 1 } },
      data: c.numbers.map((_, i) => ({ ...item(i, c.values[i]), symbol: c.values[i] === inside(c.values[i]) ? "circle" : "triangle" })),
    });
    const colour = single ? env.accent : palette[k % palette.length];
    const steps = c.numbers.map((_, i) => item(i, c.best[i]));
    series.push({ name: single ? "best so far" : s.name, type: "line", step: "end", showSymbol: false, symbolSize: 8, lineStyle: { color: colour, width: 2.2, type: k < palette.length ? "solid" : "dashed" }, itemStyle: { color: colour }, data: steps, triggerLineEvent: false });
  }
  const best = single ? drawn[0].curve.best[drawn[0].curve.best.length - 1] : null;
  return {
    height: env.narrow ? 300 : 360, log, canLog: can,
    label: single ? `Values of ${drawn[0].curve.total} trials to ${goal}; the best is ${write(best)}` : `Best values of ${drawn.map((s) => s.name).join(", ")} by trial`,
    option: plain(env, {
      grid: { left: 14, right: 22, top: 62, bottom: 44, containLabel: true },
      legend: { top: 0, left: 0, type: "scroll", textStyle: { color: env.soft }, icon: single ? undefined : "roundRect", pageTextStyle: { color: env.soft } },
      xAxis: axis(env, { name: "trial", whole: true, min: single ? 0 : 1, max: last, nameGap: 26 }),
      yAxis: upright(env, { name: towards(value, goal), min: low, max: high, log, axisLabel: inner(env, low, high, { showMinLabel: log, showMaxLabel: false }) }),
      dataZoom: zoom(env).map((z) => (z.type === "slider" ? { ...z, bottom: 0 } : z)),
      series,
    }),
  };
};

const cross = "path://M0,0L10,10M10,0L0,10"; // ends what was stopped

// compact is a legend of a few short names, on a narrow page in two lines rather than two pages.
const compact = (env) => env.narrow
  ? { top: 0, left: 0, itemWidth: 14, itemGap: 8, padding: [2, 0], textStyle: { color: env.soft, fontSize: 11 } }
  : { top: 0, left: 0, type: "scroll", textStyle: { color: env.soft }, pageTextStyle: { color: env.soft } };

// Values of trials by step, while they run: one line for each.
kinds.learning = ({ goal, learning, value = "value" }, env) => {
  const curves = learning.curves;
  if (curves.length === 0) return { empty: "No trial has reported anything yet." };
  const all = curves.flatMap((c) => c.values), write = teller(all, 6), can = all.every((v) => v > 0);
  // First steps lie far off: what the curves come to decides what is seen of them.
  const ends = curves.map((c) => c.values[c.values.length - 1]), sorted = [...all].sort((a, b) => a - b);
  const reach = goal === "maximize" ? [sorted[Math.floor(all.length / 10)], sorted[all.length - 1]] : [sorted[0], sorted[Math.floor((all.length - 1) * 0.9)]];
  const least = Math.min(reach[0], ...ends), most = Math.max(reach[1], ...(ends.length > 4 ? [] : ends));
  const log = can && most > 50 * least;
  const [low, high] = frame(least, most, log), inside = (v) => between(v, low, high);
  const kind = (c) => (c.number === learning.best ? "best" : c.state === "complete" || c.state === "stopped" ? c.state : c.state === "running" || c.state === "stale" ? "running" : "failed");
  const colours = { best: env.best, complete: env.soft, stopped: env.state("stopped"), running: env.state("running"), failed: env.state("failed") };
  const order = ["complete", "stopped", "failed", "running", "best"];
  const series = [...curves].sort((a, b) => order.indexOf(kind(a)) - order.indexOf(kind(b))).map((c) => {
    const k = kind(c), last = c.values.length - 1;
    const mark = k === "stopped" ? { symbol: cross, symbolSize: 8 } : k === "running" ? { symbol: "circle", symbolSize: 7 } : null;
    const tell = (i) => () => tip("trial " + c.number, [["state", c.state], ["step", short(c.steps[i], 8)], ["value", write(c.values[i])], ["in the end", c.final === null ? null : write(c.final)]]);
    return {
      name: k, type: "line", z: order.indexOf(k) + 2, showSymbol: true, symbol: "circle", symbolSize: 4, cursor: "pointer",
      lineStyle: { color: colours[k], width: k === "best" ? 2.6 : k === "running" ? 1.8 : 1.2, opacity: k === "complete" || k === "stopped" ? 0.6 : 1, type: k === "stopped" ? "dashed" : "solid" },
      itemStyle: { color: colours[k], borderColor: colours[k], borderWidth: k === "stopped" ? 1.6 : 0 },
      data: c.values.map((v, i) => ({ value: [c.steps[i], inside(v)], trial: c.number, tip: tell(i), ...(i === last && mark ? mark : last > 0 ? { symbolSize: 0.1 } : {}) })),
    };
  });
  const shown = order.filter((k) => curves.some((c) => kind(c) === k)).reverse();
  return {
    height: env.narrow ? 300 : 360, label: `Learning curves of ${curves.length} trials, ${curves.filter((c) => c.state === "stopped").length} of them stopped early`,
    option: plain(env, {
      grid: { left: 14, right: 22, top: 62, bottom: 34, containLabel: true },
      legend: { ...compact(env), icon: "roundRect", data: shown.map((name) => ({ name, itemStyle: { color: colours[name] } })) },
      xAxis: axis(env, { name: "step", whole: true, nameGap: 26, min: 0, max: Math.max(...curves.map((c) => c.steps[c.steps.length - 1])) }),
      yAxis: upright(env, { name: towards(value, goal), min: low, max: high, log, axisLabel: inner(env, low, high, { showMinLabel: log, showMaxLabel: false }) }),
      series,
    }),
  };
};

// The best value so far, by what all trials had cost.
kinds.spending = ({ goal, spending, value = "value" }, env) => {
  const at = spending.numbers.map((_, i) => i), done = at.filter((i) => spending.values[i] !== null), known = done.filter((i) => spending.best[i] !== null);
  if (known.length === 0) return { empty: "No trial is complete yet." };
  const values = done.filter((i) => spending.states[i] === "complete").map((i) => spending.values[i]);
  const [low, high] = frame(...visible(values, goal)), inside = (v) => between(v, low, high), write = teller(values, 6);
  const amount = spending.told ? (v) => short(v, 4) : lasting;
  const tell = (i) => () => tip("trial " + spending.numbers[i], [["state", spending.states[i]], ["value", write(spending.values[i])], ["best so far", write(spending.best[i])], [spending.told ? "cost so far" : "time so far", amount(spending.spent[i])]]);
  const dots = (state) => done.filter((i) => spending.states[i] === state).map((i) => ({ value: [spending.spent[i], inside(spending.values[i])], trial: spending.numbers[i], tip: tell(i) }));
  const series = [
    { name: "value of a trial", type: "scatter", symbolSize: env.narrow ? 5 : 6, cursor: "pointer", itemStyle: { color: env.soft, opacity: 0.65 }, data: dots("complete") },
    { name: "best so far", type: "line", step: "end", showSymbol: false, lineStyle: { color: env.accent, width: 2.2 }, itemStyle: { color: env.accent }, data: known.map((i) => ({ value: [spending.spent[i], inside(spending.best[i])], trial: spending.numbers[i], tip: tell(i) })) },
  ];
  const stopped = dots("stopped");
  if (stopped.length) series.push({ name: "stopped early", type: "scatter", symbol: cross, symbolSize: 7, cursor: "pointer", itemStyle: { color: env.state("stopped"), borderColor: env.state("stopped"), borderWidth: 1.4 }, data: stopped });
  return {
    height: env.narrow ? 300 : 340, label: `Best value by ${spending.told ? "cost" : "time"}: ${write(spending.best[known[known.length - 1]])} after ${amount(spending.spent[spending.spent.length - 1])}`,
    option: plain(env, {
      grid: { left: 14, right: 26, top: 62, bottom: 34, containLabel: true },
      legend: compact(env),
      xAxis: axis(env, { name: spending.told ? "cost of all trials" : "time of all trials", nameGap: 26, min: 0, axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true, formatter: (v) => (v === 0 ? "0" : amount(v)) } }),
      yAxis: upright(env, { name: towards(value, goal), min: low, max: high, axisLabel: inner(env, low, high, { showMaxLabel: false }) }),
      series,
    }),
  };
};

// ramp are the colours of values from good to bad.
const ramp = (env) => [env.accent, css("--faint-line", "#c3c9cf")];

// Parallel coordinates: a line is a trial, the last axis is the value. Brushing an axis keeps the
// trials whose lines pass there. An axis of results ends where ordinary ones do: what lies beyond is drawn at its end.
kinds.parallel = ({ goal, points, value = "value", unit }, env) => {
  const n = points.numbers.length;
  if (n === 0) return { empty: "No trial is complete yet." };
  const axes = [...points.axes, { name: value, unit, at: points.values, value: true, goal }].map((a) => {
    if (!a.value && !a.outcome) return a;
    const [low, high] = ordinary(a.at, a.goal), [min, max] = frame(low, high);
    return { ...a, min, max, shown: a.at.map((v) => between(v, min, max)) };
  });
  const outside = points.numbers.filter((_, i) => axes.some((a) => a.shown && a.shown[i] !== a.at[i])).length;
  // Labels are told apart by their numbers where what fits of them is the same.
  const most = (a) => (env.narrow ? Math.max(3, Math.floor(290 / a.labels.length / 7)) : 14);
  const room = (a, i) => {
    const text = clip(a.labels[i] ?? "", most(a));
    return a.labels.some((l, j) => j !== i && clip(l, most(a)) === text) ? `${i + 1} ${clip(a.labels[i], most(a) - 2)}` : text;
  };
  const ticks = axes.map((a) => (a.shown ? inner(env, a.min, a.max).formatter : teller([a.low, a.high], 4)));
  const told = axes.map((a) => teller(a.at, 6));
  const dims = axes.map((a, k) => ({
    dim: k, name: clip(named(a), env.narrow ? 30 : Math.max(6, Math.floor((env.width - 120) / Math.max(1, axes.length - 1) / 7.6))), type: a.labels ? "category" : a.log ? "log" : "value", data: a.labels?.map((l, i) => room(a, i)),
    ...(a.labels ? {} : a.shown ? { min: a.min, max: a.max } : { min: a.low, max: a.high === a.low ? a.high + 1 : a.high }), inverse: a.value && goal !== "maximize" && !env.narrow, minInterval: a.whole ? 1 : undefined,
    nameLocation: env.narrow ? "start" : "end", nameGap: env.narrow ? 0 : 14,
    nameTextStyle: { color: a.value ? env.accent : env.ink, textBorderColor: env.paper, textBorderWidth: 3, fontSize: 12, fontWeight: a.value ? "bold" : "normal", ...(env.narrow ? { align: "left", verticalAlign: "bottom", padding: [0, 0, 8, 0] } : { align: "center" }) },
    axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true, textBorderColor: env.paper, textBorderWidth: 3, formatter: a.labels ? undefined : ticks[k] },
    axisLine: { lineStyle: { color: env.soft } }, axisTick: { lineStyle: { color: env.rule } },
  }));
  const [good, bad] = visible(points.values, goal);
  const rows = points.numbers.map((number, i) => ({
    value: axes.map((a) => (a.labels ? room(a, a.at[i]) : (a.shown || a.at)[i])), trial: number,
    tip: () => tip("trial " + number, [[value, told[axes.length - 1](points.values[i])], ...points.axes.slice(0, 12).map((a, k) => [clip(named(a), 24), a.labels ? a.labels[a.at[i]] : told[k](a.at[i])])]),
  }));
  const colours = goal === "maximize" ? ramp(env).reverse() : ramp(env);
  return {
    height: env.narrow ? 66 * axes.length + 50 : 340,
    note: beyond(outside, n, "the end of an axis"),
    label: `Parallel coordinates of ${n} trials over ${axes.map((a) => a.name).join(", ")}`,
    selected: (chart) => {
      const active = chart.getModel().getSeriesByIndex(0).getRawIndicesByActiveState("active");
      return active.length === n ? null : active.map((i) => points.numbers[i]);
    },
    option: plain(env, {
      parallel: env.narrow ? { layout: "vertical", left: 26, right: 28, top: 34, bottom: 30 } : { left: 60, right: 60, top: 44, bottom: 26 },
      parallelAxis: dims,
      visualMap: { show: false, type: "continuous", dimension: axes.length - 1, min: Math.min(good, bad), max: Math.max(good, bad), seriesIndex: 0, inRange: { color: colours } },
      series: [
        { type: "parallel", lineStyle: { width: 1.4, opacity: 0.55 }, inactiveOpacity: 0.03, activeOpacity: 0.85, emphasis: { lineStyle: { width: 3, opacity: 1 } }, data: rows, cursor: "pointer" },
        { type: "parallel", silent: true, lineStyle: { width: 3, opacity: 1, color: env.best }, inactiveOpacity: 0.25, data: [{ ...rows[n - 1] }], z: 4 },
      ],
    }),
  };
};

// shades are colours that are told apart in any order and also without colour, from good to bad.
const shades = ["#440154", "#31688e", "#35b779", "#fde725"];

// Trials by their objectives, two at a time: those on the front, those that others beat, and those that violate a limit. Of three
// objectives the one that a panel does not show is the colour of its front.
kinds.front = ({ front }, env) => {
  const o = front.objectives, n = front.numbers.length;
  if (n === 0) return { empty: "No trial is complete yet." };
  const pairs = [];
  for (let i = 0; i < o.length; i++) for (let j = i + 1; j < o.length; j++) pairs.push([i, j]);
  const coloured = o.length === 3;
  const across = env.narrow || pairs.length === 1 ? 1 : 2, down = Math.ceil(pairs.length / across), tall = pairs.length === 1 ? 380 : coloured ? 350 : 300;
  const side = (k) => front.axes[o[k].axis], better = (k) => towards(named(side(k)), o[k].goal);
  const told = front.axes.map((a) => teller(a.at, 6));
  const tell = (i) => () => tip("trial " + front.numbers[i], [...front.axes.slice(0, 12).map((a, k) => [clip(named(a), 24), told[k](a.at[i])]), ["limits", front.limits.length ? (front.kept[i] ? "all kept" : "not all kept") : null]]);
  const kept = front.numbers.map((_, i) => i);
  const range = (k) => { // of what keeps the limits, if anything does, and of all that does not lie far from it
    const at = side(k).at, list = kept.filter((i) => front.kept[i]).map((i) => at[i]);
    const [low, high] = list.length > 1 ? visible(list, o[k].goal) : [side(k).low, side(k).high], room = 3 * (high - low);
    const near = room > 0 ? at.filter((v) => v >= low - room && v <= high + room) : at;
    return frame(Math.min(...near), Math.max(...near));
  };
  const ranges = o.map((_, k) => range(k)), inside = (k, v) => between(v, ...ranges[k]);
  const grid = [], xAxis = [], yAxis = [], series = [], visualMap = [];
  pairs.forEach(([i, j], p) => {
    const left = p % across, top = Math.floor(p / across);
    const head = coloured ? 46 : 0; // room for the scale of colours
    grid.push({ left: `${left * (100 / across) + 3}%`, width: `${100 / across - 7}%`, top: 62 + head + top * tall, height: tall - 90 - head, containLabel: true });
    xAxis.push({ ...axis(env, { name: better(i), nameGap: 26, min: ranges[i][0], max: ranges[i][1], axisLabel: inner(env, ...ranges[i]) }), gridIndex: p });
    yAxis.push({ ...upright(env, { name: better(j), min: ranges[j][0], max: ranges[j][1], axisLabel: inner(env, ...ranges[j]) }), gridIndex: p });
    const third = 3 - i - j; // the objective that is a colour
    const dot = (q) => ({ value: [inside(i, side(i).at[q]), inside(j, side(j).at[q]), ...(coloured ? [side(third).at[q]] : [])], trial: front.numbers[q], tip: tell(q) });
    const of = (name, pick, style, more = {}) => series.push({ name, type: "scatter", xAxisIndex: p, yAxisIndex: p, symbolSize: 6, cursor: "pointer", itemStyle: style, data: kept.filter(pick).map(dot), ...more });
    if (front.limits.length) of("violates a limit", (q) => !front.kept[q], { color: "transparent", borderColor: env.soft, borderWidth: 1, opacity: 0.6 });
    of("beaten by others", (q) => front.kept[q] && !front.on[q], { color: env.soft, opacity: 0.6 });
    const on = kept.filter((q) => front.on[q]);
    if (pairs.length === 1 && on.length > 1) series.push({ type: "line", silent: true, symbol: "none", xAxisIndex: p, yAxisIndex: p, step: o[0].goal === o[1].goal ? "end" : "start", lineStyle: { color: env.accent, width: 1.5, opacity: 0.7 }, data: on.map(dot).map((d) => d.value).sort((a, b) => a[0] - b[0]) });
    if (coloured && on.length) {
      const values = on.map((q) => side(third).at[q]), least = Math.min(...values), most = Math.max(...values);
      visualMap.push({
        type: "continuous", dimension: 2, seriesIndex: series.length, min: least, max: most > least ? most : least + 1, orient: "horizontal", itemWidth: 10, itemHeight: env.narrow ? 90 : 130,
        left: `${left * (100 / across) + 3}%`, top: 44 + top * tall, inRange: { color: o[third].goal === "maximize" ? [...shades].reverse() : shades }, calculable: false, hoverLink: false,
        text: [told[o[third].axis](most), `colour: ${clip(o[third].name, 16)}, dark is better  ${told[o[third].axis](least)}`], textGap: 6, textStyle: { color: env.soft, fontSize: 11 },
      });
    }
    of("on the front", (q) => front.on[q], coloured ? { borderColor: env.soft, borderWidth: 0.5 } : { color: env.accent }, { symbolSize: 9, z: 4 });
    if (on.length) series.push({ name: "knee", type: "scatter", symbol: "diamond", symbolSize: 15, z: 5, cursor: "pointer", xAxisIndex: p, yAxisIndex: p, itemStyle: { color: env.best, borderColor: env.paper, borderWidth: 1.5 }, data: [dot(n - 1)] });
  });
  const outside = kept.filter((q) => o.some((_, k) => inside(k, side(k).at[q]) !== side(k).at[q])).length;
  return {
    note: beyond(outside, n, "the border"),
    height: down * tall + 40, label: `${front.on.filter(Boolean).length} trials on the front of ${o.map((v) => v.name).join(", ")}, of ${front.total}`,
    option: plain(env, { grid, xAxis, yAxis, series, visualMap, legend: { ...compact(env), data: [...new Set(series.map((s) => s.name).filter(Boolean))] } }),
  };
};

// How the hypervolume of the front grew.
kinds.hypervolume = ({ front }, env) => {
  if (front.grown.length === 0) return { empty: "No trial keeps all limits yet." };
  const write = teller(front.volumes, 6);
  return {
    height: env.narrow ? 240 : 280, label: `Hypervolume after ${front.total} trials: ${write(front.hypervolume)}`,
    option: plain(env, {
      xAxis: axis(env, { name: "trial", whole: true, min: 0, max: front.grown[front.grown.length - 1], nameGap: 26 }),
      yAxis: upright(env, { name: "hypervolume, higher is better", range: front.volumes }),
      series: [{ type: "line", step: "end", showSymbol: false, symbolSize: 8, lineStyle: { color: env.accent, width: 2.2 }, itemStyle: { color: env.accent }, areaStyle: { color: env.accent, opacity: 0.1 }, data: front.grown.map((v, i) => ({ value: [v, front.volumes[i]], trial: v, tip: () => tip("up to trial " + v, [["hypervolume", write(front.volumes[i])]]) })) }],
    }),
  };
};

// The share of the trials that keep each limit.
kinds.limits = ({ front }, env) => {
  const rows = [...front.limits].sort((a, b) => a.kept - b.kept).slice(0, 30), share = (r) => (front.total ? (100 * r.kept) / front.total : 0);
  if (rows.length === 0 || front.total === 0) return { empty: "No trial is complete yet." };
  const chart = listing(env, rows.map((r) => `${r.name} ${r.text}`), { min: 0, max: 100 }, "trials that keep it, %", [{ type: "bar", barMaxWidth: 13, itemStyle: { color: env.accent, borderRadius: [0, 3, 3, 0] }, data: rows.map((r) => ({ value: share(r), tip: () => tip(r.name, [["limit", r.text], ["kept by", `${r.kept} of ${front.total}`]]) })) }], 26);
  chart.option.legend = undefined;
  chart.option.grid.top = 10;
  return { ...chart, height: chart.height - 24, label: "Limits: " + rows.slice(0, 5).map((r) => `${r.name} ${short(share(r), 3)} %`).join(", ") };
};

// Parallel coordinates over the outcomes: the last axis is the first objective.
kinds.outcomes = ({ front }, env) => {
  const first = front.objectives[0], others = front.axes.filter((_, k) => k !== first.axis).slice(0, 11);
  if (others.length === 0) return { empty: "There is one outcome only." };
  const goals = new Map(front.objectives.map((o) => [o.axis, o.goal])), axes = others.map((a) => ({ ...a, outcome: true, goal: goals.get(front.axes.indexOf(a)) }));
  return kinds.parallel({ goal: first.goal, value: first.name, unit: front.axes[first.axis].unit, points: { numbers: front.numbers, values: front.axes[first.axis].at, axes } }, env);
};

// whisker draws an estimate's interval in a list: value is [place, low, high].
const whisker = (env, data, more = {}) => ({
  type: "custom", z: 4, silent: true, data, encode: { x: [1, 2], y: 0 },
  renderItem: (_, api) => {
    const y = api.value(0), [x0, py] = api.coord([api.value(1), y]), [x1] = api.coord([api.value(2), y]);
    const shift = more.shift || 0, line = { stroke: more.colour || env.ink, lineWidth: 1.5, fill: "none" };
    return { type: "group", children: [
      { type: "line", shape: { x1: x0, x2: x1, y1: py + shift, y2: py + shift }, style: line },
      { type: "line", shape: { x1: x0, x2: x0, y1: py + shift - 4, y2: py + shift + 4 }, style: line },
      { type: "line", shape: { x1, x2: x1, y1: py + shift - 4, y2: py + shift + 4 }, style: line },
    ] };
  },
});

// listing is a chart of rows below each other.
function listing(env, rows, name, x, series, height = 30) {
  return {
    height: rows.length * height + 96,
    option: plain(env, {
      grid: { left: 8, right: 26, top: 34, bottom: 40, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: env.soft } },
      tooltip: { ...plain(env, {}).tooltip, trigger: "item" },
      xAxis: axis(env, { name: x, nameGap: 28, ...name }),
      yAxis: { type: "category", inverse: true, data: rows, axisLabel: { color: env.ink, fontSize: 12, interval: 0, width: env.narrow ? 124 : 200, overflow: "truncate" }, axisLine: { lineStyle: { color: env.rule } }, axisTick: { show: false }, splitLine: { show: false } },
      series,
    }),
  };
}

// How much of the differences between values each parameter explains.
kinds.importance = ({ rows, good = true, most = 20 }, env) => {
  rows = rows.slice(0, most);
  if (rows.length === 0) return { empty: "There are not enough trials yet to tell which parameters matter." };
  const percent = (v) => 100 * v;
  const tell = (r, e) => () => tip(r.param, [["in all", `${short(percent(e.share), 3)} % ± ${short(percent(e.std_dev), 2)}`], ["alone", `${short(percent(e.alone), 3)} % ± ${short(percent(e.alone_std_dev), 2)}`], ["nine of ten between", `${short(percent(e.low), 3)} and ${short(percent(e.high), 3)} %`]]);
  const both = good && rows.some((r) => r.good);
  const bar = (name, colour, pick) => ({
    name, type: "bar", barGap: "15%", barMaxWidth: 13, itemStyle: { color: colour, borderRadius: [0, 3, 3, 0] },
    data: rows.map((r) => { const e = pick(r); return e ? { value: percent(e.share), tip: tell(r, e) } : { value: null }; }),
  });
  const series = [bar("over all values", env.accent, (r) => r)];
  if (both) series.push(bar("where the good trials are", "#e69f00", (r) => r.good));
  series.push(whisker(env, rows.map((r, i) => [i, percent(r.low), percent(r.high)]), { shift: both ? -7.5 : 0 }));
  if (both) series.push(whisker(env, rows.flatMap((r, i) => (r.good ? [[i, percent(r.good.low), percent(r.good.high)]] : [])), { shift: 7.5 }));
  const chart = listing(env, rows.map((r) => r.param), { min: 0, max: 100 }, "share of the differences in value, %", series, both ? 36 : 28);
  return { ...chart, label: "Importance: " + rows.slice(0, 5).map((r) => `${r.param} ${short(percent(r.share), 2)} %`).join(", ") };
};

// Estimates below each other, with a line at zero.
kinds.estimates = ({ rows, x }, env) => {
  const colour = (r) => (r.strong ? env.accent : css("--faint-line", "#aab"));
  const chart = listing(env, rows.map((r) => r.name), {}, x, [
    { type: "scatter", symbolSize: 9, data: rows.map((r, i) => ({ value: [r.value, i], itemStyle: { color: colour(r) }, tip: () => tip(r.name, [["estimate", short(r.value, 3)], ["between", `${short(r.low, 3)} and ${short(r.high, 3)}`]]) })), markLine: { silent: true, symbol: "none", lineStyle: { color: env.soft, type: "solid" }, label: { show: false }, data: [{ xAxis: 0 }] } },
    whisker(env, rows.map((r, i) => [i, r.low, r.high]), { colour: env.soft }),
  ], 26);
  chart.option.legend = undefined;
  chart.option.grid.top = 10;
  return { ...chart, height: chart.height - 24, label: rows.map((r) => `${r.name} ${short(r.value, 2)}`).join(", ") };
};

// Weights of the parameters, the largest 1.
kinds.weights = ({ rows }, env) => {
  const chart = listing(env, rows.map((r) => r.name), { min: 0, max: 1 }, "weight", [{ type: "bar", barMaxWidth: 13, itemStyle: { color: env.accent, borderRadius: [0, 3, 3, 0] }, data: rows.map((r) => ({ value: r.value, tip: () => tip(r.name, [["weight", short(r.value, 3)]]) })) }], 26);
  chart.option.legend = undefined;
  chart.option.grid.top = 10;
  return { ...chart, height: chart.height - 24, label: "Weights: " + rows.slice(0, 5).map((r) => `${r.name} ${short(r.value, 2)}`).join(", ") };
};

// dots are the trials of a chart over one or two parameters.
const dots = (env, points, place, write, more = {}) => ({
  name: "trials", type: "scatter", symbolSize: 6, cursor: "pointer", itemStyle: { color: env.soft, opacity: 0.55 }, emphasis: { scale: 1.8, itemStyle: { color: env.accent, opacity: 1 } }, z: 3,
  data: points.numbers.map((number, i) => ({ value: place(i), trial: number, tip: () => tip("trial " + number, [["value", write(points.values[i])], ...points.axes.slice(0, 2).map((a) => [named(a), a.labels ? a.labels[a.at[i]] : teller([a.low, a.high], 6)(a.at[i])])]) })),
  ...more,
});

// The model when one parameter of the best point changes, and the trials.
kinds.slice = ({ slice, points, goal, value = "value" }, env) => {
  const a = points?.axes[0] || { ...slice, name: slice.param };
  if (!slice && !points?.numbers.length) return { empty: "No trial is complete yet." };
  const at = slice ? slice.at || slice.labels.map((_, i) => i) : [];
  const seen = points?.values.length ? visible(points.values, goal) : [Infinity, -Infinity];
  const [low, high] = frame(Math.min(seen[0], ...(slice?.median || [])), Math.max(seen[1], ...(slice?.median || [])));
  const inside = (list) => list.map((v) => between(v, low, high)), write = teller([low, high], 6), middle = inside(slice?.median || []);
  const along = teller([a.low ?? at[0], a.high ?? at[at.length - 1]], 6);
  const series = [];
  if (slice && slice.labels) {
    series.push({ type: "scatter", symbol: "rect", symbolSize: [26, 3], itemStyle: { color: env.accent }, z: 4, data: at.map((v, i) => ({ value: [v, middle[i]], tip: () => tip(slice.labels[i], [["model", write(slice.median[i])], ["nine of ten between", `${write(slice.low[i])} and ${write(slice.high[i])}`]]) })) });
    series.push({
      type: "custom", silent: true, data: at.map((v, i) => [v, between(slice.low[i], low, high), between(slice.high[i], low, high)]),
      encode: { x: 0, y: [1, 2] },
      renderItem: (_, api) => { const [x, y0] = api.coord([api.value(0), api.value(1)]), [, y1] = api.coord([api.value(0), api.value(2)]); return { type: "rect", shape: { x: x - 13, y: y1, width: 26, height: y0 - y1 }, style: { fill: env.accent, opacity: 0.16 } }; },
    });
  } else if (slice) {
    series.push(...band(at, inside(slice.low), inside(slice.high), env.accent));
    series.push({ type: "line", symbol: "circle", showSymbol: false, symbolSize: 7, lineStyle: { color: env.accent, width: 2.2 }, itemStyle: { color: env.accent }, z: 4, data: at.map((v, i) => ({ value: [v, middle[i]], tip: () => tip(`${named(a)} ${along(v)}`, [["model", write(slice.median[i])], ["nine of ten between", `${write(slice.low[i])} and ${write(slice.high[i])}`]]) })) });
  }
  if (points) series.push(dots(env, points, (i) => [points.axes[0].at[i], between(points.values[i], low, high)], write));
  if (slice) series.push(marker(env, at[slice.best], middle[slice.best], "model", write(slice.median[slice.best])));
  const labels = a.labels || slice?.labels, ends = labels ? {} : { min: a.low ?? at[0], max: a.high ?? at[at.length - 1] };
  return {
    height: 250, label: "Value against " + a.name,
    option: plain(env, {
      grid: { left: 12, right: 20, top: 26, bottom: 32, containLabel: true },
      xAxis: axis(env, { name: named(a), log: a.log, whole: a.whole, labels, across: true, nameGap: 26, ...ends }),
      yAxis: upright(env, { name: value, min: low, max: high, axisLabel: inner(env, low, high) }),
      series,
    }),
  };
};

// isolines returns the segments of a level over a grid, in places of the grid: marching squares.
function isolines(grid, level) {
  const lines = [];
  for (let j = 0; j + 1 < grid.length; j++) {
    for (let i = 0; i + 1 < grid[j].length; i++) {
      const corner = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], v = corner.map(([x, y]) => grid[y][x]);
      if (v.some((w) => w === null)) continue;
      const cut = [];
      for (let k = 0; k < 4; k++) {
        const a = v[k], b = v[(k + 1) % 4], p = corner[k], q = corner[(k + 1) % 4];
        if ((a < level) === (b < level)) continue;
        const t = (level - a) / (b - a);
        cut.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
      }
      for (let k = 0; k + 1 < cut.length; k += 2) lines.push([cut[k], cut[k + 1]]);
    }
  }
  return lines;
}

// The model when two parameters of the best point change, and the trials.
kinds.contour = ({ contour, points, goal }, env) => {
  const side = (a) => ({ ...a, name: a.param, at: a.at || a.labels.map((_, i) => i) });
  const x = side(contour.x), y = side(contour.y), grid = contour.median;
  // place turns a place of the grid, perhaps between two, into a value of the axis.
  const place = (a, t) => {
    const i = between(Math.floor(t), 0, a.at.length - 2), s = t - i;
    if (a.at.length < 2) return a.at[0];
    return a.log ? a.at[i] * (a.at[i + 1] / a.at[i]) ** s : a.at[i] + s * (a.at[i + 1] - a.at[i]);
  };
  const ends = (a) => (a.labels ? [-0.5, a.at.length - 0.5] : [a.at[0], a.at[a.at.length - 1]]);
  const edge = (a, t) => (a.labels ? t : place(a, between(t, 0, a.at.length - 1)));
  const cells = [], all = grid.flat().filter((v) => v !== null), write = teller(all), along = [teller(x.at, 6), teller(y.at, 6)];
  if (all.length === 0) return { empty: "No combination of these two keeps the constraints." };
  grid.forEach((row, j) => row.forEach((v, i) => {
    if (v === null) return;
    cells.push({ value: [edge(x, i - 0.5), edge(y, j - 0.5), edge(x, i + 0.5), edge(y, j + 0.5), v, contour.sure[j][i]], tip: () => tip("model", [[named(x), x.labels ? x.labels[i] : along[0](x.at[i])], [named(y), y.labels ? y.labels[j] : along[1](y.at[j])], ["value", write(v)], ["known here", short(100 * contour.sure[j][i], 2) + " %"]]) });
  }));
  const low = Math.max(Math.min(...all), -largest), high = Math.min(Math.max(...all), largest), levels = [];
  if (!x.labels && !y.labels) for (let k = 1; k < 8; k++) levels.push(low + (k / 8) * (high - low));
  const series = [
    {
      type: "custom", clip: true, data: cells, dimensions: ["x0", "y0", "x1", "y1", "value", "sure"], encode: { x: [0, 2], y: [1, 3], tooltip: 4 },
      renderItem: (_, api) => {
        const [x0, y0] = api.coord([api.value(0), api.value(1)]), [x1, y1] = api.coord([api.value(2), api.value(3)]);
        return { type: "rect", shape: { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0) + 0.6, height: Math.abs(y1 - y0) + 0.6 }, style: { fill: api.visual("color"), opacity: 0.35 + 0.65 * api.value(5) } };
      },
    },
    {
      type: "custom", silent: true, clip: true, data: levels.map((_, k) => [ends(x)[0], ends(y)[0], k]), encode: { x: 0, y: 1 },
      renderItem: (_, api) => ({ type: "group", children: isolines(grid, levels[api.value(2)]).map(([p, q]) => {
        const [x1, y1] = api.coord([place(x, p[0]), place(y, p[1])]), [x2, y2] = api.coord([place(x, q[0]), place(y, q[1])]);
        return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: "#ffffff", opacity: 0.55, lineWidth: 1 } };
      }) }),
    },
  ];
  if (points) series.push(dots(env, points, (i) => [points.axes[0].at[i], points.axes[1].at[i]], write, { itemStyle: { color: "#ffffff", borderColor: "#202124", borderWidth: 1, opacity: 0.85 }, symbolSize: 6 }));
  series.push({ ...marker(env, x.at[x.best], y.at[y.best], "model"), symbol: "diamond", symbolSize: 15, data: [{ value: [x.at[x.best], y.at[y.best]], tip: () => tip("best point", [["model", write(grid[y.best][x.best])]]) }] });
  const span = (a) => { const [from, to] = ends(a); return { min: from, max: to }; };
  return {
    height: env.narrow ? 380 : 440, label: `Model over ${x.name} and ${y.name}`,
    option: plain(env, {
      grid: { left: 16, right: env.narrow ? 18 : 96, top: 30, bottom: env.narrow ? 86 : 34, containLabel: true },
      xAxis: axis(env, { name: named(x), log: x.log, labels: x.labels, across: true, nameGap: 26, splitLine: { show: false }, ...span(x) }),
      yAxis: upright(env, { name: named(y), log: y.log, labels: y.labels, splitLine: { show: false }, ...span(y) }),
      visualMap: {
        type: "continuous", seriesIndex: 0, dimension: 4, min: low, max: high === low ? low + 1 : high, calculable: false, inRange: { color: goal === "maximize" ? viridis : [...viridis].reverse() }, textStyle: { color: env.soft }, formatter: write, text: [write(high), write(low)],
        ...(env.narrow ? { orient: "horizontal", left: "center", bottom: 4, itemHeight: 80, itemWidth: 12 } : { right: 4, top: "middle", itemHeight: 200, itemWidth: 12 }),
      },
      series,
    }),
  };
};

// The model along a direction, and the trials.
kinds.response = ({ response, goal }, env) => {
  const r = response, seen = { numbers: r.seen.map((s) => s.id), values: r.seen.map((s) => s.value), axes: [] };
  const [a, b] = visible(seen.values, goal), [low, high] = frame(Math.min(a, ...r.median), Math.max(b, ...r.median));
  const inside = (list) => list.map((v) => between(v, low, high));
  return {
    height: 260, label: "Model along the combination",
    option: plain(env, {
      grid: { left: 12, right: 20, top: 26, bottom: 34, containLabel: true },
      xAxis: axis(env, { name: env.narrow ? "distance from the best point" : "how far all of these are moved together from the best point", nameGap: 26 }),
      yAxis: upright(env, { name: "value", min: low, max: high, axisLabel: inner(env, low, high) }),
      series: [
        ...band(r.at, inside(r.low), inside(r.high), env.accent),
        { type: "line", symbol: "none", silent: true, lineStyle: { color: env.accent, width: 2.2 }, data: inside(r.median).map((v, i) => [r.at[i], v]), markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: env.best, type: "dashed" }, data: [{ xAxis: 0 }] } },
        dots(env, seen, (i) => [r.seen[i].at, between(seen.values[i], low, high)], teller([low, high], 6)),
      ],
    }),
  };
};

// Values against predictions that were made without them.
kinds.calibration = ({ calibration, goal }, env) => {
  const p = calibration.points, many = Math.max(1, Math.ceil(p.length / 600)), drawn = p.filter((_, i) => i % many === 0);
  const [a, b] = visible(p.map((q) => q.observed), goal), [low, high] = frame(a, b), inside = (v) => between(v, low, high), write = teller([low, high], 6);
  return {
    height: env.narrow ? 320 : 420, label: `Observed values of ${p.length} trials against predictions made without them`,
    option: plain(env, {
      grid: { left: 14, right: 24, top: 28, bottom: 36, containLabel: true },
      xAxis: axis(env, { name: env.narrow ? "predicted" : "predicted without knowing the value", min: low, max: high, nameGap: 28, axisLabel: inner(env, low, high) }),
      yAxis: upright(env, { name: "observed", min: low, max: high, axisLabel: inner(env, low, high) }),
      series: [
        { type: "line", symbol: "none", silent: true, lineStyle: { color: env.soft, type: "dashed", width: 1.2 }, data: [[low, low], [high, high]] },
        {
          type: "custom", silent: true, data: drawn.map((q) => [inside(q.low), inside(q.high), inside(q.observed)]), encode: { x: [0, 1], y: 2 },
          renderItem: (_, api) => { const [x1, y1] = api.coord([api.value(0), api.value(2)]), [x2] = api.coord([api.value(1), api.value(2)]); return { type: "line", shape: { x1, y1, x2, y2: y1 }, style: { stroke: env.soft, opacity: 0.3, lineWidth: 1 } }; },
        },
        { type: "scatter", symbolSize: 6, cursor: "pointer", itemStyle: { color: env.accent, opacity: 0.85 }, data: drawn.map((q) => ({ value: [inside(q.median), inside(q.observed)], trial: q.id, tip: () => tip("trial " + q.id, [["observed", write(q.observed)], ["predicted", write(q.median)], ["nine of ten between", `${write(q.low)} and ${write(q.high)}`]]) })) },
      ],
    }),
  };
};

// Who evaluated which trial, and when. Trials of one worker that overlap have rows of their own.
kinds.timeline = ({ spans, now = Date.now() }, env) => {
  if (spans.length === 0) return { empty: "No trial was served yet." };
  const workers = new Map(), most = 40;
  for (const s of spans) {
    const name = s.worker || "not named";
    if (!workers.has(name) && workers.size < most) workers.set(name, []);
    workers.get(name)?.push(s);
  }
  const rows = [], names = [];
  for (const [name, list] of workers) {
    const lanes = [], base = names.length;
    for (const s of [...list].sort((a, b) => Date.parse(a.began) - Date.parse(b.began))) {
      const from = Date.parse(s.began), to = Math.max(from, s.told ? Date.parse(s.told) : now);
      let lane = lanes.findIndex((end) => end <= from);
      if (lane < 0) lane = lanes.length < 8 ? lanes.push(0) - 1 : lanes.indexOf(Math.min(...lanes));
      lanes[lane] = Math.max(lanes[lane], to);
      rows.push({ value: [from, to, base + lane], state: s.state, trial: s.number, tip: () => tip("trial " + s.number, [["state", s.state], ["evaluated by", name], [s.told ? "took" : "runs for", lasting((to - from) / 1000)], ["from", new Date(from).toLocaleString()]]) });
    }
    lanes.forEach((_, k) => names.push(k === 0 ? name : ""));
  }
  return {
    height: names.length * 24 + 110, label: `Timeline of ${rows.length} trials by ${workers.size} workers`,
    option: plain(env, {
      grid: { left: 10, right: 24, top: 14, bottom: 62, containLabel: true },
      xAxis: axis(env, { type: "time", name: "time", nameGap: 26, scale: true, axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true } }),
      yAxis: { type: "category", inverse: true, data: names.map((_, i) => i), axisLabel: { color: env.ink, fontSize: 12, interval: 0, width: env.narrow ? 110 : 200, overflow: "truncate", formatter: (v) => names[v] }, axisLine: { lineStyle: { color: env.rule } }, axisTick: { show: false } },
      dataZoom: zoom(env),
      series: [{
        type: "custom", clip: true, cursor: "pointer", data: rows, encode: { x: [0, 1], y: 2 },
        renderItem: (p, api) => {
          const [x0, y] = api.coord([api.value(0), api.value(2)]), [x1] = api.coord([api.value(1), api.value(2)]);
          return { type: "rect", shape: { x: x0, y: y - 8, width: Math.max(x1 - x0, 2.5), height: 16, r: 3 }, style: { fill: env.state(rows[p.dataIndex].state), stroke: env.paper, lineWidth: 0.8 }, emphasis: { style: { stroke: env.ink } } };
        },
      }],
    }),
  };
};

// How long trials took.
kinds.durations = ({ spans }, env) => {
  const ended = spans.filter((s) => s.told).map((s) => ({ ...s, seconds: (Date.parse(s.told) - Date.parse(s.began)) / 1000 })).filter((s) => s.seconds >= 0);
  if (ended.length === 0) return { empty: "No trial has ended yet." };
  const seconds = ended.map((s) => s.seconds), least = Math.min(...seconds), most = Math.max(...seconds), log = least > 0 && most > 50 * least;
  const [low, high] = frame(log ? least : 0, most || 1, log);
  return {
    height: 280, label: `Durations of ${ended.length} trials`,
    option: plain(env, {
      grid: { left: 14, right: 22, top: 30, bottom: 36, containLabel: true },
      xAxis: axis(env, { name: "trial", whole: true, nameGap: 26 }),
      yAxis: upright(env, { name: "time from start to end", log, min: log ? low : 0, max: high, axisLabel: { color: env.soft, fontSize: 11, hideOverlap: true, formatter: (v) => (v === high || (log && v === low) ? "" : lasting(v)) } }),
      series: [{ type: "scatter", symbolSize: 6, cursor: "pointer", data: ended.map((s) => ({ value: [s.number, s.seconds], trial: s.number, itemStyle: { color: env.state(s.state), opacity: 0.8 }, tip: () => tip("trial " + s.number, [["state", s.state], ["took", lasting(s.seconds)], ["evaluated by", s.worker]]) })) }],
    }),
  };
};

const drawn = new Map(); // what is drawn where: figure -> { chart, kind, data, made }

// draw shows data in a figure, as its data-chart says. Points that stand for a trial open its page
// where the figure's data-trials says where pages are, with {study} for the name of a study.
export function draw(figure, data) {
  const kind = kinds[figure.dataset.chart];
  let place = figure.querySelector(":scope > .plot");
  if (!place) {
    place = document.createElement("div");
    place.className = "plot";
    figure.prepend(place);
  }
  const width = place.clientWidth;
  if (!kind || width === 0) {
    drawn.set(figure, { ...drawn.get(figure), data });
    return;
  }
  const made = kind(data, environment(width));
  const old = drawn.get(figure);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", made.empty || made.label || "");
  figure.dataset.drawn = made.empty ? "nothing" : "yes";
  remark(figure, place, made.note || "");
  if (made.empty) {
    old?.chart?.dispose();
    place.style.height = "auto";
    place.textContent = made.empty;
    drawn.set(figure, { data, made });
    return;
  }
  let chart = old?.chart;
  place.style.height = made.height + "px";
  if (!chart || chart.isDisposed()) {
    place.textContent = "";
    chart = globalThis.echarts.init(place, null, { renderer: "svg", width, height: made.height });
    chart.on("click", (p) => open(figure, p.data));
    chart.on("axisareaselected", () => {
      const now = drawn.get(figure);
      if (now.made.selected) figure.dispatchEvent(new CustomEvent("brushed", { detail: now.made.selected(chart), bubbles: true }));
    });
  } else {
    chart.resize({ width, height: made.height });
  }
  const kept = old?.chart === chart ? chart.getOption()?.dataZoom?.map((z) => ({ start: z.start, end: z.end })) : null;
  if (kept && made.option.dataZoom) made.option.dataZoom = made.option.dataZoom.map((z, i) => ({ ...z, ...kept[i] }));
  chart.setOption(made.option, { notMerge: true });
  drawn.set(figure, { chart, data, made });
}

// remark writes a note below what is drawn.
function remark(figure, place, text) {
  let note = figure.querySelector(":scope > .remark");
  if (!note && !text) return;
  if (!note) {
    note = document.createElement("p");
    note.className = "remark";
    place.after(note);
  }
  if (note.textContent !== text) note.textContent = text;
  note.hidden = !text;
}

// state is what is known of a figure: what was made of its data.
export const state = (figure) => drawn.get(figure);

function open(figure, item) {
  const where = figure.dataset.trials;
  if (!item?.trial || !where) return;
  location.href = where.replace("{study}", encodeURIComponent(item.study || "")) + item.trial;
}

// redraw draws everything again: after a change of width, or of colours.
export function redraw() {
  for (const [figure, known] of drawn) {
    if (!figure.isConnected) {
      known.chart?.dispose();
      drawn.delete(figure);
    } else if (known.data) draw(figure, known.data);
  }
}

// drawAll draws the figures of a part of a page that bring their data along.
export function drawAll(part) {
  for (const figure of part.querySelectorAll("figure[data-chart]")) {
    const data = figure.querySelector(':scope > script[type="application/json"]');
    if (data && figure.dataset.drawn === undefined) draw(figure, JSON.parse(data.textContent));
  }
}

let wide = 0;
const look = () => {
  const now = root.clientWidth;
  if (now !== wide) redraw();
  wide = now;
};
addEventListener("resize", () => requestAnimationFrame(look));
document.addEventListener("theme-changed", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", redraw);
// What is inside details that are closed has no width yet.
document.addEventListener("toggle", (e) => e.target.open && redraw(), true);
