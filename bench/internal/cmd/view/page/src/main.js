// The page: it keeps the state, queries the library and shows the results.
import * as library from "./library.js";
import * as address from "./state.js";
import * as panel from "./panel.js";
import * as colours from "./colours.js";
import * as keys from "./keys.js";
import { Stage } from "./stage.js";
import { watch } from "./drag.js";
import { fly } from "./flight.js";
import { modes } from "./modes.js";

const page = { state: address.read(location.hash), about: null, answer: null, order: null, asked: 0, data: [], flying: false, slow: 300 };
const still = { scene: "city", n: 100000, data: "" }; // of the last mode without a scene of its own
window.page = page; // for tests

let stage;
const mode = () => modes.find((m) => m.name === page.state.mode) ?? modes[0];
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// question is the query for the library, with the numbers of the address.
function question(time) {
  const s = page.state, r = address.round;
  return {
    Mode: s.mode, Eye: s.eye.map(r), At: s.at.map(r), FovY: r(s.fov * Math.PI / 180), Aspect: 1.6,
    Near: r(stage.extent / 2000), Far: r(s.far || stage.extent * 0.4), K: s.k, Radius: r(s.radius || stage.extent * 0.15),
    Frame: s.frame, Cells: Boolean(s.cells), Time: time,
  };
}

// normal makes an address valid: its mode exists, and has its scene.
function normal(s) {
  const clamp = (key, low, high) => { s[key] = Math.min(Math.max(Math.round(s[key]), low), high); };
  clamp("fov", 5, 120), clamp("k", 1, 10000), clamp("frame", 0, 600), clamp("n", 1, 1000000), clamp("seed", 0, 2 ** 31), clamp("depth", -1, 63);
  s.share = Math.min(Math.max(s.share, 0), 100);
  if (!modes.some((m) => m.name === s.mode)) s.mode = "camera";
  const own = modes.find((m) => m.name === s.mode);
  if (own.scene) Object.assign(s, { scene: own.scene, n: Math.min(s.n, own.n) });
  else if (modes.some((m) => m.scene === s.scene) || (s.scene === "file" && page.state.scene !== "file")) s.scene = "city"; // the file is not in the address
  return s;
}

const save = () => history.replaceState(null, "", "#" + address.write(page.state));

// Times are measured when the query has rested for a moment.
let later, saving;
function ask() {
  clearTimeout(later);
  clearTimeout(saving);
  saving = setTimeout(save, 150);
  put(false);
  if (!mode().moves || (page.state.mode !== "interest" && !playing)) later = setTimeout(() => measure(3), 250);
}

// measure runs the query with times, some times in a row: the least of them are displayed.
function measure(turns) {
  put(true);
  if (turns > 1) later = setTimeout(() => measure(turns - 1), 800);
}

// least replaces the times of an answer by the least of all answers to the same query.
const leasts = { key: "", times: {} };
function least(q, bars) {
  const key = JSON.stringify([q, page.about.title, page.about.objects]);
  if (key !== leasts.key) Object.assign(leasts, { key, times: {} });
  for (const b of bars.filter((b) => b.unit.startsWith("µs"))) b.value = leasts.times[b.name] = Math.min(b.value, leasts.times[b.name] ?? Infinity);
}

function put(time) {
  if (!page.state.eye) return; // show asks when the new objects exist
  const q = question(time), m = mode();
  try {
    page.answer = library.ask(q);
    page.question = q;
    if (time) least(q, page.answer.bars);
  } catch (e) {
    panel.busy(e.message, true);
    return;
  }
  panel.busy("");
  page.asked++;
  page.timed = time || Boolean(m.moves);
  if (m.moves) stage.solids.set(library.boxes(), 0.3);
  stage.solids.setStates(library.states());
  const a = page.answer;
  stage.subtrees.hide();
  if (a.boxes.length) stage.subtrees.set(new Float32Array(a.boxes));
  if (page.state.mode !== "curve") stage.ways(a.lines);
  if (m.follows && a.center.length) stage.follow(a.center);
  stage.shape.show(m.shape, a.center.length ? { ...q, Eye: a.center } : q);
  panel.answer(a, m, page.timed && !playing);
  stage.dirty();
}

// look shows the opacity of objects, and the outlines.
function look() {
  const s = page.state, m = mode(), solids = stage.solids;
  const curve = s.mode === "curve";
  solids.uniforms.curve.value = curve;
  solids.uniforms.share.value = curve ? s.share / 100 : 1;
  const alpha = { none: 0, solid: 1 }[s.others] ?? page.fog;
  solids.opacity(0, alpha);
  solids.opacity(4, alpha && Math.max(alpha, 0.3)); // false positives
  const deepest = page.about.depth;
  if (m.outlines) {
    const cells = s.mode === "tree" && s.cells;
    if (page.outlined !== (cells ? "cells" : "tight")) {
      stage.tree.set(...library.outlines(cells));
      page.outlined = cells ? "cells" : "tight";
    }
    const u = stage.tree.uniforms, all = s.depth < 0 || curve;
    u.first.value = all ? (curve ? 1 : 0) : s.depth;
    u.last.value = all ? deepest + 99 : s.depth;
    u.share.value = curve ? s.share / 100 : 1;
    u.opacity.value = curve ? 0.3 : all ? 0.4 : 0.9;
    stage.tree.lines.visible = true;
  } else {
    stage.tree.hide();
  }
  if (curve) drawCurve();
  stage.dirty();
}

// drawCurve draws the beginning of the curve, as long as its share.
function drawCurve() {
  const boxes = stage.solids.boxes;
  if (!page.order) {
    page.order = library.order();
    stage.solids.setRanks(library.ranks());
  }
  const n = Math.round(page.order.length * page.state.share / 100);
  const points = new Float32Array(Math.max(n - 1, 0) * 6);
  const middle = (k, at) => {
    const i = 6 * page.order[k];
    for (let a = 0; a < 3; a++) points[at + a] = (boxes[i + a] + boxes[i + a + 3]) / 2;
  };
  for (let k = 0; k + 1 < n; k++) middle(k, 6 * k), middle(k + 1, 6 * k + 3);
  stage.ways(points, n > 20000 ? 0.25 : 0.6);
}

// load makes the objects of the state, or takes those of a file.
async function load(about) {
  const s = page.state;
  try {
    if (!about && s.scene === "data") about = library.open(s.data, await library.data(s.data));
    page.about = about ?? library.make(s.scene, s.n, s.seed);
  } catch (e) {
    fresh();
    Object.assign(s, { scene: "city", data: "" });
    page.about = library.make(s.scene, s.n, s.seed);
    panel.complain(e.message);
  }
  page.outlined = page.order = null;
  stage.frame(page.about.bounds);
  stage.solids.set(library.boxes());
  stage.solids.uniforms.least.value = stage.extent * smallest(stage.solids.boxes);
  page.fog = fog(stage.solids.boxes, stage.extent);
  if (!s.eye || !s.at) place();
  panel.title(`${page.about.title}: ${panel.count(page.about.objects)} objects`);
}

// fog is the opacity of pale boxes: the more of them are behind each other, the less.
function fog(boxes, extent) {
  const n = boxes.length / 6, step = 6 * Math.ceil(n / 2000);
  let area = 0, count = 0;
  for (let i = 0; i < boxes.length; i += step, count++) {
    const [x, y, z] = [0, 1, 2].map((a) => Math.max(boxes[i + a + 3] - boxes[i + a], extent / 1500));
    area += (x * y + y * z + z * x) / 2; // about the area in the picture
  }
  return Math.min(0.22, Math.max(0.02, 0.5 * extent * extent * count / (area * n)));
}

// smallest is the least side of a box in the picture, as a share of the extent: larger for few points.
function smallest(boxes) {
  const n = boxes.length / 6, step = 6 * Math.ceil(n / 2000);
  let points = 0, count = 0;
  for (let i = 0; i < boxes.length; i += step, count++) points += [0, 1, 2].every((a) => !(boxes[i + a] < boxes[i + a + 3]));
  return points > count / 2 ? Math.min(1 / 300, Math.max(1 / 1500, 0.5 / Math.sqrt(n))) : 1 / 1500;
}

// place puts the handles where the query has results.
function place() {
  [page.state.eye, page.state.at] = [page.about.eye, page.about.at].map((p) => p.map(address.round));
}

function fresh() { Object.assign(page.state, { eye: null, at: null, far: 0, radius: 0, view: null, depth: -1, frame: 0 }); }

function show() {
  const s = page.state, m = mode();
  panel.modes(modes, s.mode, choose);
  panel.lead(m.lead);
  panel.code(library.code(s.mode));
  panel.controls(...m.controls.flatMap((c) => rows[c]()));
  panel.source(...sources());
  look();
  ask();
  then?.();
  then = null;
}

// choose changes the mode, and the scene if one of both modes has its own.
function choose(name) {
  stop();
  const s = page.state, own = mode().scene;
  if (!own && s.scene !== "file") Object.assign(still, { scene: s.scene, n: s.n, data: s.data });
  s.mode = name;
  const m = mode();
  then = m.moves && !calm() ? () => play(frame) : null;
  if (m.scene !== own) {
    Object.assign(s, m.scene ? { scene: m.scene, n: m.n, data: "" } : still);
    fresh();
    reload();
    return;
  }
  show();
}

// reload makes the objects anew, after the browser has displayed the message.
let loads = 0;
function reload(about) {
  const mine = ++loads;
  clearTimeout(later); // it would ask about the former objects
  panel.busy(page.state.scene === "data" && !about ? `reading ${page.state.data}` : "building the tree");
  return new Promise((done) => setTimeout(async () => {
    await load(about);
    if (mine === loads) { // no later load
      stage.view = page.state.view;
      show();
    }
    done();
  }, 30));
}
let then = null; // runs when the mode is displayed

// The animation: of frames, or of the curve.
let playing = 0;
function stop() { cancelAnimationFrame(playing), playing = 0; }
function play(step) {
  if (playing) {
    stop();
    if (mode().moves) ask();
    return;
  }
  const next = () => {
    playing = requestAnimationFrame(next);
    step();
  };
  next();
}

const set = (key, then = ask) => (value) => { page.state[key] = value; then(); };
const plain = (x) => Number(x.toPrecision(3)).toLocaleString("en-US");
const share = (name, key, normal) => () => [panel.slider(name,
  { min: 0.01, max: 1.2, step: 0.01, value: (page.state[key] || stage.extent * normal) / stage.extent, show: (x) => plain(x * stage.extent) },
  (x) => set(key)(address.round(x * stage.extent)))];

const rows = {
  fov: () => [panel.slider("field of view", { min: 5, max: 120, value: page.state.fov, show: (x) => x + "°" }, set("fov"))],
  range: share("range", "far", 0.4),
  radius: share("radius", "radius", 0.15),
  k: () => [panel.slider("neighbours", { min: 0, max: 100, value: Math.round(25 * Math.log10(page.state.k)), show: (x) => panel.count(10 ** (x / 25)) },
    (x) => set("k")(Math.round(10 ** (x / 25))))],
  drag: () => [panel.choice("drag", [[0, "along the ground"], [1, "up and down"]], page.state.height, set("height", () => save()))],
  others: () => [panel.choice("other boxes", [["pale", "pale"], ["none", "none"], ["solid", "solid"]], page.state.others, set("others", () => { look(), save(); }))],
  cells: () => [panel.choice("boxes", [[0, "tight boxes"], [1, "cells"]], page.state.cells, set("cells", () => { page.state.depth = -1, show(); }))],
  depth: () => [panel.slider(page.state.cells ? "level" : "depth",
    { min: -1, max: page.state.cells ? 12 : page.about.depth, value: page.state.depth, show: (x) => (x < 0 ? "all" : String(x)) }, set("depth", () => { look(), save(); }))],
  share: () => [panel.slider("of the curve", { min: 0, max: 100, step: 0.1, value: page.state.share, show: (x) => x.toFixed(1) + " %" }, set("share", () => { look(), save(); })),
    playRow(curveStep)],
  frame: () => [panel.slider("frame", { min: 0, max: 600, value: page.state.frame }, (x) => { stop(), set("frame")(x); }),
    playRow(frame)],
};

function curveStep() {
  page.state.share = page.state.share >= 100 ? 0 : Math.min(100, Math.round(10 * page.state.share + 3) / 10);
  if (page.state.share >= 100) stop(), save();
  slide("of the curve", page.state.share);
  look();
}

function frame() {
  page.state.frame = page.state.frame >= 600 ? 0 : page.state.frame + 1;
  slide("frame", page.state.frame);
  ask();
}

function slide(name, value) {
  const input = document.querySelector(`input[aria-label="${name}"]`);
  input.value = value;
  input.nextSibling.textContent = name === "frame" ? value : value.toFixed(1) + " %";
}

function playRow(step) {
  return panel.choice("animation", [["play", "play / pause"]], "", (_) => play(step));
}

function sources() {
  const s = page.state;
  if (mode().scene) return [panel.note("This mode has a scene of its own. The other modes have several, and take files.")];
  const change = (key) => (value) => {
    const file = value.startsWith?.("data:") ? value.slice(5) : "";
    if (key === "n") s.n = Number(value);
    else Object.assign(s, { scene: file ? "data" : value, data: file });
    fresh();
    reload();
  };
  const scenes = ["city", "uniform", "clustered", "surface", "points", "plane", "huge"].map((x) => [x, x]);
  const sizes = [1000, 10000, 100000, 300000, 1000000].map((x) => [x, panel.count(x)]);
  const chosen = s.scene === "data" ? "data:" + s.data : s.scene;
  for (const { name } of page.data) scenes.push(["data:" + name, name]);
  if (s.scene === "file") scenes.unshift(["file", "file"]);
  if (!scenes.some(([x]) => x === chosen)) scenes.unshift([chosen, chosen]);
  if (!sizes.some(([x]) => x === s.n)) sizes.unshift([s.n, panel.count(s.n)]);
  const lists = [{ label: "scene", options: scenes, value: chosen, changed: change("scene") }];
  if (s.scene !== "file" && s.scene !== "data") lists.push({ label: "number of objects", options: sizes, value: s.n, changed: change("n") });
  return [panel.select("scene", lists), panel.file("or a file", open)];
}

async function open(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    panel.busy("reading " + file.name);
    const about = library.open(file.name, bytes);
    stop();
    if (mode().scene) page.state.mode = "camera";
    Object.assign(page.state, { scene: "file", data: "" });
    fresh();
    await reload(about);
  } catch (e) {
    panel.complain(e.message);
  }
}
page.open = open;

// The handles of the query, and the keys that move them.
const handles = () => {
  const { shape, fixed } = mode(), s = page.state;
  return shape === "none" || fixed || !s.eye ? [] : shape === "ball" || shape === "point" ? [["eye", s.eye]] : [["eye", s.eye], ["at", s.at]];
};

function moveTo(which, to) {
  const s = page.state;
  if (which === "eye") s.at = s.at.map((x, i) => address.round(x + to[i] - s.eye[i])); // the camera keeps its direction
  s[which] = to.map(address.round);
  ask();
}

const keyboard = {
  turn: (...by) => {
    stage.turn(...by);
    turned();
  },
  move: (...by) => {
    const s = page.state, list = handles(), far = stage.extent / 100;
    if (list.length === 0) return;
    const heading = list.length > 1 ? s.at.map((x, i) => x - s.eye[i]) : stage.heading();
    moveTo("eye", keys.moved(s.eye, heading, ...by.map((x) => x * far)));
  },
  aim: (left, up) => {
    if (handles().length > 1) moveTo("at", keys.aimed(page.state.eye, page.state.at, left, up));
  },
  reset: () => {
    page.state.view = null;
    stage.view = null;
    place();
    ask();
  },
  play: () => {
    if (mode().moves) play(frame);
    else if (page.state.mode === "curve") play(curveStep);
  },
};

const turned = () => { page.state.view = stage.view.map(address.round), save(); };

function listen() {
  watch(stage, handles, () => page.state.height, moveTo);
  keys.listen(stage.canvas, keyboard);
  addEventListener("hashchange", () => {
    stop();
    const old = page.state, s = (page.state = normal(address.read(location.hash)));
    if (s.scene !== old.scene || s.n !== old.n || s.seed !== old.seed || s.data !== old.data) return reload();
    if (!s.eye || !s.at) place();
    stage.view = s.view;
    show();
  });
  const over = (on) => (e) => { e.preventDefault(), document.body.classList.toggle("over", on); };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", (e) => {
    over(false)(e);
    if (e.dataTransfer.files[0]) open(e.dataTransfer.files[0]);
  });
}

// opening flies to the view of all objects.
function opening() {
  const { eye, at } = page.state;
  page.flying = page.flown = true;
  page.timed = false;
  clearTimeout(later);
  fly(stage, eye, at, () => page.slow, (target) => {
    page.state.at = target.map(address.round);
    put(false);
  }, (target) => {
    page.flying = false;
    page.state.at = target.map(address.round);
    ask();
  });
}

page.opening = opening;

try {
  await library.start();
  page.data = await library.list();
  stage = new Stage(document.getElementById("canvas"), () => page.flying || turned());
  page.stage = stage;
  colours.watch(() => {
    stage.recolour();
    if (page.answer) panel.answer(page.answer, mode(), false);
  });
  const first = page.state, opens = first.mode === "camera" && !first.view && !first.eye && !first.at && !calm();
  page.state.scene = page.state.scene === "file" ? "city" : page.state.scene;
  normal(page.state);
  listen();
  await reload();
  if (opens) opening();
} catch (e) {
  panel.busy(e.message, true);
  throw e;
}
