// Renders /openapi.json: operations with their parameters, bodies and answers.
"use strict";

const verbs = ["get", "post", "put", "patch", "delete"];

// make builds an element; children are elements or texts.
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

const refName = (schema) => schema.$ref.split("/").pop();

// typeText names a schema in a few words.
function typeText(schema) {
  if (!schema) return "";
  if (schema.$ref) return refName(schema);
  if (schema.oneOf) return schema.oneOf.map(typeText).join(" or ");
  const type = [].concat(schema.type || "any").join(" or ");
  if (type.startsWith("array")) return "list of " + typeText(schema.items);
  const words = schema.enum ? ": " + schema.enum.join(", ") : "";
  return type + (schema.format ? " (" + schema.format + ")" : "") + words;
}

// bounds tells the limits of a value.
function bounds(schema) {
  const parts = [];
  for (const [key, text] of [["minimum", "≥ "], ["maximum", "≤ "], ["maxLength", "length ≤ "], ["maxItems", "items ≤ "]]) {
    if (schema[key] !== undefined) parts.push(text + schema[key]);
  }
  if (schema.default !== undefined) parts.push("default " + JSON.stringify(schema.default));
  return parts.join(", ");
}

function table(rows) {
  const body = rows.map(([name, schema, required, description]) =>
    make("tr", {},
      make("td", {}, make("code", {}, name), required ? "" : make("span", { class: "dim" }, " optional")),
      make("td", {}, link(schema), make("div", { class: "dim" }, bounds(schema))),
      make("td", {}, description || schema.description || "")));
  return make("table", {}, ...body);
}

function link(schema) {
  const inner = schema.type === "array" ? schema.items : schema;
  const text = typeText(schema);
  return inner && inner.$ref ? make("a", { href: "#schema-" + refName(inner) }, text) : document.createTextNode(text);
}

function fields(schema) {
  const required = schema.required || [];
  return table(Object.entries(schema.properties || {}).map(([name, s]) => [name, s, required.includes(name), s.description]));
}

function content(media) {
  return Object.entries(media || {}).map(([type, m]) =>
    make("p", {}, make("code", {}, type), " ", m.schema ? link(m.schema) : ""));
}

// curl is a command to try an operation with.
function curl(verb, path, op) {
  let text = "curl";
  if (verb !== "get") text += " -X " + verb.toUpperCase();
  if (op.security) text += ' -H "Authorization: Bearer $TOKEN"';
  if (op.requestBody) {
    const type = Object.keys(op.requestBody.content)[0];
    text += ` -H "Content-Type: ${type}" --data ` + (type === "application/json" ? "'{...}'" : "@FILE");
  }
  return text + " " + location.origin + path;
}

function operation(path, verb, op) {
  const parts = [make("summary", {}, make("b", { class: verb }, verb.toUpperCase()), make("code", {}, path), " ", op.summary || "")];
  if (op.description) parts.push(make("p", {}, op.description));
  if (op.parameters) {
    parts.push(make("h4", {}, "Parameters"),
      table(op.parameters.map((p) => [p.name + " (" + p.in + ")", p.schema || {}, p.required, p.description])));
  }
  if (op.requestBody) parts.push(make("h4", {}, "Body"), ...content(op.requestBody.content));
  parts.push(make("h4", {}, "Answers"));
  for (const [status, answer] of Object.entries(op.responses || {})) {
    parts.push(make("div", {}, make("b", {}, status + " "), answer.description || "", ...content(answer.content)));
  }
  parts.push(make("pre", {}, curl(verb, path, op)));
  return make("details", { id: op.operationId, "data-text": (path + " " + op.summary + " " + op.operationId).toLowerCase() }, ...parts);
}

function show(doc) {
  document.getElementById("about").textContent = doc.info.description + " Version " + doc.info.version + ".";
  const operations = document.getElementById("operations");
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const verb of verbs) if (item[verb]) operations.append(operation(path, verb, item[verb]));
  }
  const schemas = document.getElementById("schemas");
  for (const [name, schema] of Object.entries(doc.components.schemas)) {
    schemas.append(make("details", { id: "schema-" + name }, make("summary", {}, make("code", {}, name)), fields(schema)));
  }
  const open = () => { const d = location.hash && document.getElementById(location.hash.slice(1)); if (d) d.open = true; };
  addEventListener("hashchange", open);
  open();
  document.getElementById("find").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const d of operations.children) d.hidden = !d.dataset.text.includes(wanted);
  });
}

fetch("/openapi.json").then((r) => r.json()).then(show).catch((error) => {
  document.getElementById("about").textContent = "The description of the API could not be loaded: " + error;
});
