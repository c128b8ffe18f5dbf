// Watches a study: events of the server refresh the parts of the page and the charts,
// not more often than ten times the time that this takes.
import { drawCurve } from "./curve.js";
import { drawCalibration, drawParallel, drawResponses, drawSlices } from "./canvas.js";

const shortest = 400; // ms between two refreshes
const modelEvery = 8000; // ms between two looks at the model
const events = ["asked", "told", "heartbeat", "enqueued", "retried", "released", "noted", "imported", "corrected", "stale"];

async function read(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(path + " answered " + answer.status);
  return answer.json();
}

export function watch(element) {
  const api = "/v1/studies/" + element.dataset.study;
  const page = { goal: element.dataset.goal, model: null, curve: null, points: null, params: [] };
  const live = document.getElementById("live");
  let due = 0, timer = null, busy = false, again = false, own = false, modelAt = 0, modelTimer = null;

  const say = (text, on) => {
    if (live.textContent !== text) live.textContent = text;
    live.classList.toggle("on", on);
  };

  async function charts() {
    const query = page.params.map((p) => "&param=" + encodeURIComponent(p)).join("");
    [page.curve, page.points] = await Promise.all([read(api + "/curve?points=1000"), read(api + "/points?limit=400" + query)]);
    draw();
  }

  function draw() {
    if (page.curve) drawCurve(page.curve, page.goal);
    if (page.points) {
      drawParallel(page.points);
      drawSlices(page.points, page.model);
    }
    if (page.model) {
      drawCalibration(page.model.calibration);
      drawResponses(page.model.directions);
    }
  }

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

  function readModel() {
    const data = document.getElementById("model-data");
    document.getElementById("model").setAttribute("aria-busy", "false");
    page.model = data ? JSON.parse(data.textContent) : null;
    const params = [...document.querySelectorAll("#importances [data-param]")].map((e) => e.dataset.param);
    if (params.join() !== page.params.join()) {
      page.params = params;
      changed();
    }
    draw();
  }

  document.addEventListener("htmx:after:settle", (e) => {
    if (e.target.id === "model") readModel();
  });
  document.addEventListener("theme-changed", draw);
  addEventListener("resize", () => requestAnimationFrame(draw));
  document.getElementById("log-scale").addEventListener("change", draw);
  listen();
  if (document.getElementById("model-data")) readModel(); // it came before this script
  charts().catch((e) => say(e.message, false));
}
