// The model of a study along one parameter or two of the reader's choice.
import { draw } from "./chart.js";
import { query, read } from "./study.js";

const first = 6; // slices that are shown without being asked for

// explore fills the page of parameters, and returns what to call when the analysis may have
// changed.
export function explore(study) {
  const place = document.getElementById("explore");
  if (!place) return () => {};
  const names = JSON.parse(place.dataset.params), slices = document.getElementById("slices");
  const more = document.getElementById("slice-param"), x = document.getElementById("contour-x"), y = document.getElementById("contour-y");
  const contour = document.getElementById("contour"), failed = document.getElementById("contour-error");
  let shown = [], important = "", ready = false;

  const points = (...params) => read(`${study.api}/points?limit=300${query(params)}`);

  async function slice(figure, param) {
    const [model, seen] = await Promise.all([read(`${study.api}/model/slice?param=${encodeURIComponent(param)}`).catch(() => null), points(param)]);
    draw(figure, { slice: model, points: seen, goal: study.goal, value: study.value });
  }

  function showSlices() {
    const old = new Map([...slices.children].map((f) => [f.dataset.param, f]));
    slices.replaceChildren(...shown.map((param) => {
      const figure = old.get(param) || document.createElement("figure");
      figure.className = "chart";
      figure.dataset.chart = "slice";
      figure.dataset.param = param;
      figure.dataset.trials = study.base + "/trials/";
      return figure;
    }));
    return Promise.all([...slices.children].map((f) => slice(f, f.dataset.param)));
  }

  async function showContour() {
    failed.textContent = "";
    if (!x.value || !y.value || x.value === y.value) {
      failed.textContent = x.value && x.value === y.value ? "Choose two different parameters." : "";
      return;
    }
    try {
      const [model, seen] = await Promise.all([read(`${study.api}/model/contour?x=${encodeURIComponent(x.value)}&y=${encodeURIComponent(y.value)}`), points(x.value, y.value)]);
      draw(contour, { contour: model, points: seen, goal: study.goal });
      contour.dataset.shows = x.value + " " + y.value;
    } catch (e) {
      failed.textContent = e.message;
    }
  }

  function fill(select, list, value, hint) {
    const options = list.map((name) => new Option(name, name));
    if (hint) options.unshift(new Option(hint, ""));
    select.replaceChildren(...options);
    select.value = value;
  }

  more.addEventListener("change", () => {
    if (!more.value) return;
    shown = [more.value, ...shown.filter((p) => p !== more.value)];
    more.value = "";
    showSlices();
  });
  x.addEventListener("change", showContour);
  y.addEventListener("change", showContour);

  return () => {
    const now = document.getElementById("analysis")?.dataset.important || "[]";
    const top = JSON.parse(now);
    if (top.length === 0 || (ready && now === important && !document.querySelector("#analysis:not([data-seen])"))) return;
    document.getElementById("analysis").dataset.seen = "yes";
    important = now;
    place.hidden = false;
    const order = [...top, ...names.filter((n) => !top.includes(n))];
    if (!ready) {
      shown = order.slice(0, first);
      fill(more, order, "", "choose…");
      fill(x, order, order[0]);
      fill(y, order, order[1] || "");
      document.querySelector('[aria-labelledby="contour-title"]').hidden = order.length < 2;
    }
    ready = true;
    showSlices();
    showContour();
  };
}
