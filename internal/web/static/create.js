// The table of parameters of the form for a new study: rows come and go, and a row has the
// fields of its kind.
export function rows(table) {
  const body = table.tBodies[0];
  const kind = (row) => row.querySelector("select");
  const show = (row) => { row.dataset.kind = kind(row).value; };
  const renumber = () => [...body.rows].forEach((row, i) => row.querySelectorAll("[name]").forEach((field) => {
    field.setAttribute("aria-label", field.dataset.label + " of parameter " + (i + 1));
  }));
  const add = () => {
    const row = body.rows[body.rows.length - 1].cloneNode(true);
    row.querySelectorAll("input").forEach((field) => { field.value = ""; });
    row.querySelectorAll(".error").forEach((e) => { e.textContent = ""; });
    row.querySelectorAll("[aria-invalid]").forEach((e) => e.removeAttribute("aria-invalid"));
    body.append(row);
    show(row);
    renumber();
    row.querySelector("input").focus();
  };
  table.addEventListener("change", (e) => e.target.matches("select") && show(e.target.closest("tr")));
  table.addEventListener("click", (e) => {
    if (!e.target.matches("button.remove")) return;
    if (body.rows.length > 1) e.target.closest("tr").remove();
    renumber();
  });
  document.getElementById("add-parameter").addEventListener("click", add);
  [...body.rows].forEach(show);
  renumber();
}
