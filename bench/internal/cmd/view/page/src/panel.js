// The panel beside the picture: the mode, the settings of the query, and the result in numbers.
import { now } from "./colours.js";

const byID = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  Object.assign(e, attributes);
  e.append(...children);
  return e;
}

export const count = (n) => Math.round(n).toLocaleString("en-US");

// amount writes a number with its unit, three digits of it.
export function amount(value, unit) {
  if (unit === "bytes") return value >= 1e6 ? (value / 1e6).toPrecision(3) + " MB" : (value / 1e3).toPrecision(3) + " kB";
  if (unit.startsWith("µs")) {
    if (value >= 1e6) return Number((value / 1e6).toPrecision(3)).toLocaleString("en-US") + " s";
    return value >= 1e3 ? (value / 1e3).toPrecision(3) + " ms" : Number(value.toPrecision(3)) + " µs";
  }
  return value >= 1e7 ? Number((value / 1e6).toPrecision(3)).toLocaleString("en-US") + " M" : count(value);
}

export function modes(list, chosen, choose) {
  replace("modes", list.map(({ name, title }) =>
    element("button", { type: "button", textContent: title, ariaPressed: String(name === chosen), onclick: () => choose(name) })));
}

export const lead = (text) => { byID("lead").textContent = text; };
export const controls = (...rows) => replace("controls", rows);
export const source = (...rows) => replace("source", rows);

// replace gives a part of the panel other rows. An element with the focus keeps it.
function replace(id, rows) {
  const box = byID(id), name = (e) => e.ariaLabel ?? e.textContent;
  const held = box.contains(document.activeElement) ? name(document.activeElement) : null;
  box.replaceChildren(...rows);
  if (held !== null) [...box.querySelectorAll("button, input, select")].find((e) => name(e) === held)?.focus({ preventScroll: true });
}

// slider is a row; show writes its value.
export function slider(name, { min, max, step = 1, value, show = count }, changed) {
  const output = element("output", { textContent: show(value) });
  const input = element("input", { type: "range", min, max, step, ariaLabel: name });
  input.value = value;
  input.oninput = () => {
    output.textContent = show(Number(input.value));
    changed(Number(input.value));
  };
  return element("label", { className: "row" }, element("span", { textContent: name }), input, output);
}

// choice is a row of buttons, one of which is pressed.
export function choice(name, options, value, changed) {
  const box = element("span", { className: "wide" });
  for (const [key, title] of options) {
    box.append(element("button", {
      type: "button", textContent: title, ariaPressed: String(key === value),
      onclick: (e) => {
        for (const b of box.children) b.ariaPressed = String(b === e.currentTarget);
        changed(key);
      },
    }));
  }
  return element("div", { className: "row" }, element("span", { textContent: name }), box);
}

// select is a row with lists to choose from.
export function select(name, lists) {
  const box = element("span", { className: "wide" });
  for (const { options, value, label, changed } of lists) {
    const s = element("select", { ariaLabel: label });
    for (const [key, title] of options) s.append(element("option", { value: key, textContent: title, selected: String(key) === String(value) }));
    s.onchange = () => changed(s.value);
    box.append(s);
  }
  return element("div", { className: "row" }, element("span", { textContent: name }), box);
}

export function file(name, chosen) {
  const input = element("input", { type: "file", hidden: true, onchange: () => input.files[0] && chosen(input.files[0]) });
  const button = element("button", { type: "button", textContent: "PLY, PCD, OBJ, CSV, snapshot …", onclick: () => input.click() });
  return element("div", { className: "row" }, element("span", { textContent: name }), element("span", { className: "wide" }, button, input));
}

// note is a row of text.
export const note = (text) => element("p", { className: "small", textContent: text });

// answer shows a result. Its sentence is announced when the query rests.
export function answer(a, mode, rests) {
  byID("sentence").textContent = a.sentence;
  if (rests) byID("live").textContent = a.sentence;
  byID("numbers").replaceChildren(...a.numbers.map(({ name, value, state, depth }) => {
    const mark = element("i");
    if (state >= 0) mark.style.background = now.states[state];
    if (depth >= 0) mark.style.background = now.depths[Math.min(depth, 7)];
    return element("li", {}, mark, element("span", { textContent: name }), element("b", { textContent: count(value) }));
  }));
  const list = [...a.bars];
  if (!mode.untimed && !list.some((b) => b.unit === "µs")) { // room for the times, which follow
    for (const name of timed.get(mode.name) ?? mode.times ?? ["octree", "loop over all"]) list.push({ name, unit: "µs", value: NaN });
  } else {
    timed.set(mode.name, list.filter((b) => b.unit === "µs").map((b) => b.name));
  }
  byID("bars").replaceChildren(...[...new Set(list.map((b) => b.unit))].map((unit) => bars(unit, list.filter((b) => b.unit === unit))));
  byID("note").textContent = a.note;
  const verdict = byID("verdict");
  verdict.textContent = a.equal ? a.check : "A loop over all objects finds something else!";
  verdict.className = a.equal ? "" : "wrong";
}

const timed = new Map(); // names of the times of each mode

// bars draws the bars of a unit. A value that is not a number is not known yet.
function bars(unit, list) {
  const most = Math.max(...list.map((b) => b.value || 0), 1e-9);
  const box = element("div", { className: "bars" }, element("h3", { textContent: { "µs": "time", "µs, update": "time of the update" }[unit] ?? unit }));
  for (const b of list) {
    const known = !Number.isNaN(b.value), bar = element("div", { className: known ? (b.loop ? "loop" : "") : "none" });
    bar.style.width = known ? 100 * b.value / most + "%" : "0";
    box.append(element("span", { textContent: b.name, title: b.name }), element("p", {}, bar), element("output", { textContent: known ? amount(b.value, unit) : "…" }));
  }
  return box;
}

export const code = (text) => { byID("code").textContent = text; };
export const title = (text) => { byID("title").textContent = text; };

let stays = 0; // time at which an error message ends

export function complain(text) {
  busy(text, true);
  stays = Date.now() + 6000;
  setTimeout(() => busy(""), 6000);
}

export function busy(text, error = false) {
  if (text === "" && Date.now() < stays) return;
  stays = 0;
  byID("busy").textContent = text;
  byID("busy").className = error ? "error" : "";
}
