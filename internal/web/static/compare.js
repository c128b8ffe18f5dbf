// Several studies in one chart.
import { draw } from "./chart.js";
import { logScale, read } from "./study.js";

export async function compare(figure) {
  const names = JSON.parse(figure.dataset.studies);
  if (names.length === 0) return;
  let studies = [];
  const again = () => {
    draw(figure, { goal: figure.dataset.goal, value: figure.dataset.value, studies, log: box.value });
    box.show();
  };
  const box = logScale(figure, again);
  const curves = await Promise.all(names.map((n) => read(`/v1/studies/${encodeURIComponent(n)}/curve?points=1000`)));
  // A second study makes it a chart of several, in which only the best so far is drawn.
  studies = names.map((name, i) => ({ name, curve: curves[i] }));
  again();
}
