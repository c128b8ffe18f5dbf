// Watches a study: events of the server refresh the parts of the page and the charts,
// not more often than ten times the time that this takes.
import { draw, drawAll, state } from "./chart.js";
import { explore } from "./explore.js";

const shortest = 400; // ms between two refreshes
const modelEvery = 8000; // ms between two looks at the model
const events = ["asked", "told", "heartbeat", "enqueued", "retried", "released", "noted", "imported", "corrected", "stopped", "stale"];

export async function read(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || path + " answered " + answer.status);
  }
  return answer.json();
}

export const query = (params) => params.map((p) => "&param=" + encodeURIComponent(p)).join("");

const write = (id, text) => {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
};

// logScale keeps the box of a logarithmic scale in step with its chart.
export function logScale(figure, again) {
  const box = document.getElementById("log-scale");
  let chosen; // undefined: as the values suggest
  box.addEventListener("change", () => {
    chosen = box.checked;
    again();
  });
  return {
    get value() { return chosen; },
    show: () => {
      const made = state(figure)?.made;
      box.disabled = !made?.canLog;
      box.checked = !!made?.log;
    },
  };
}

let learned = null; // the answer that charts of reports wait for
let fronts = null; // the answer that charts of outcomes wait for

// loaders read and draw what changes with every trial, by data-live.
const loaders = {
  // The charts of outcomes share one answer.
  front(figure, study) {
    return async () => {
      fronts ??= read(study.api + "/front?chart=true").finally(() => queueMicrotask(() => (fronts = null)));
      const answer = await fronts;
      draw(figure, { front: answer.chart });
      figure.dataset.points = answer.points.length;
    };
  },

  curve(figure, study) {
    const box = logScale(figure, () => figure.again()), rest = document.getElementById("curve-note").textContent;
    let curve = null;
    figure.again = () => {
      draw(figure, { goal: study.goal, value: study.value, studies: [{ name: study.name, curve }], log: box.value });
      box.show();
      figure.dataset.points = curve.numbers.length;
      write("curve-note", curve.numbers.length < curve.total ? `${curve.numbers.length} of ${curve.total} complete trials are drawn: the highest and lowest of every stretch. ${rest}` : rest);
    };
    return async () => {
      curve = await read(study.api + "/curve?points=1000");
      figure.again();
    };
  },

  // The charts of what trials reported share one answer. Reports are no events: while trials run they are looked for.
  learning(figure, study) {
    const load = async () => {
      learned ??= read(study.api + "/learning?limit=60").finally(() => queueMicrotask(() => (learned = null)));
      const answer = await learned;
      draw(figure, { goal: study.goal, value: study.value, ...answer });
      figure.dataset.curves = answer.learning.curves.length;
      clearTimeout(figure.timer);
      if (answer.learning.curves.some((c) => c.state === "running")) figure.timer = setTimeout(() => document.hidden || load(), 3000);
    };
    return load;
  },

  points(figure, study) {
    const added = document.getElementById("axis-add"), reset = document.getElementById("axis-reset");
    const note = document.getElementById("parallel-note"), said = note.textContent;
    let own = [], important = null, brushed = false;
    const load = async () => {
      if (brushed) return; // a refresh would take the choice away
      if (important === null) important = await study.important();
      const points = await read(study.api + "/points?limit=400" + query([...own, ...important.filter((p) => !own.includes(p))].slice(0, 10)));
      draw(figure, { goal: study.goal, value: study.value, points });
      figure.dataset.lines = points.numbers.length;
      note.textContent = (points.numbers.length < points.total ? `${points.numbers.length} of ${points.total} complete trials are drawn: the best tenth and an even choice of the others. ` : "") + said;
    };
    added.addEventListener("change", async () => {
      const name = added.value.trim(), before = own; // typed where there are many
      if (name) own = [name, ...own.filter((p) => p !== name)];
      added.setCustomValidity("");
      try {
        await load();
        added.value = "";
        reset.hidden = false;
      } catch (e) {
        own = before;
        added.setCustomValidity(e.message);
        added.reportValidity();
      }
    });
    reset.addEventListener("click", () => {
      own = [];
      reset.hidden = true;
      load();
    });
    figure.addEventListener("brushed", (e) => {
      brushed = e.detail !== null;
      const only = document.getElementById("trial-only");
      const now = brushed ? (e.detail.length ? e.detail.join(",") : "999999999") : "";
      if (only.value === now) return;
      only.value = now;
      htmx.ajax("GET", location.pathname + "?" + new URLSearchParams({ only: now, state: document.getElementById("trial-state").value, sort: document.getElementById("trial-sort").value }), { target: "#trials", swap: "outerMorph" });
    });
    return load;
  },

  timeline(figure, study) {
    return async () => {
      const line = await read(study.api + "/timeline?limit=500");
      draw(figure, line);
      draw(document.getElementById("durations"), line);
      figure.dataset.bars = line.spans.length;
      if (line.spans.length < line.total) write("timeline-note", `The latest ${line.spans.length} of ${line.total} trials, each from when its evaluation began to when its outcome was told; a click opens it.`);
    };
  },
};

export function watch(element) {
  const api = "/v1/studies/" + element.dataset.study;
  const study = { api, name: element.dataset.name, goal: element.dataset.goal, value: element.dataset.value, base: "/studies/" + element.dataset.study };
  // important are the parameters that matter most, none while nobody has looked.
  study.important = async () => {
    try {
      const model = await read(api + "/model?wait=0.5");
      return (model.analysis?.importances || []).slice(0, 8).map((i) => i.param);
    } catch {
      return [];
    }
  };
  const live = document.getElementById("live");
  let due = 0, timer = null, busy = false, again = false, own = false, modelAt = 0, modelTimer = null;

  const say = (text, on) => {
    if (live.textContent !== text) live.textContent = text;
    live.classList.toggle("on", on);
  };

  const loads = [...document.querySelectorAll("figure[data-live]")].map((figure) => loaders[figure.dataset.live](figure, study));
  const charts = () => Promise.all(loads.map((load) => load()));

  // refresh draws what is new, and the parts of the page ask for theirs.
  async function refresh() {
    const start = performance.now();
    busy = true;
    own = true;
    htmx.trigger(document.body, "study-changed");
    own = false;
    try {
      await charts();
    } catch (e) {
      say(e.message, false);
    }
    busy = false;
    due = performance.now() + Math.max(shortest, 10 * (performance.now() - start));
    if (again) changed();
  }

  // changed refreshes at once, or when it is time again.
  function changed() {
    again = busy;
    if (busy || timer) return;
    timer = setTimeout(() => {
      timer = null;
      refresh();
    }, Math.max(0, due - performance.now()));
    modelTimer ||= setTimeout(() => {
      modelTimer = null;
      modelAt = performance.now();
      htmx.trigger(document.body, "model-stale");
    }, Math.max(1000, modelAt + modelEvery - performance.now()));
  }

  // Forms of this page say so too, in case the stream of events is cut.
  document.body.addEventListener("study-changed", () => own || changed());

  // Who types values one after the other hears that one was recorded, and goes on with the next trial.
  document.body.addEventListener("told", (e) => {
    const row = document.getElementById("open-" + e.detail.number);
    write("told", row?.querySelector(".answer").textContent || "");
    const field = [...document.querySelectorAll(".open form")].find((form) => row && (row.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING) && !row.contains(form))?.querySelector("input");
    if (row?.contains(document.activeElement)) (field || document.getElementById("open-title")).focus();
  });

  function listen() {
    const stream = new EventSource(api + "/events");
    stream.onopen = () => say("live", true);
    stream.onerror = () => say(stream.readyState === EventSource.CLOSED ? "not connected: reload the page" : "reconnecting…", false);
    for (const name of events) {
      stream.addEventListener(name, (e) => {
        const fallback = name === "asked" && JSON.parse(e.data).model.fallback;
        say(fallback ? "live: points without the method: " + fallback : "live", true);
        changed();
      });
    }
    stream.addEventListener("deleted", () => {
      stream.close();
      say("this study was deleted", false);
    });
    addEventListener("pagehide", () => stream.close());
  }

  drawAll(document);
  const look = explore(study);
  document.addEventListener("htmx:after:settle", () => {
    drawAll(document);
    look();
  });
  look();
  listen();
  charts().catch((e) => say(e.message, false));
}
