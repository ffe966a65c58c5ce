// The page: it keeps the state, asks the library and shows what it says.
import * as library from "./library.js";
import * as address from "./state.js";
import * as panel from "./panel.js";
import { Stage } from "./stage.js";
import { watch } from "./drag.js";
import { modes } from "./modes.js";

const page = { state: address.read(location.hash), about: null, answer: null, order: null, asked: 0 };
const still = { scene: "city", n: 100000 }; // what modes without motion go back to
window.page = page; // tests look at it

let stage;
const mode = () => modes.find((m) => m.name === page.state.mode) ?? modes[0];

// question is what the library is asked, with the numbers that the address has.
function question(time) {
  const s = page.state, r = address.round;
  return {
    Mode: s.mode, Eye: s.eye.map(r), At: s.at.map(r), FovY: r(s.fov * Math.PI / 180), Aspect: 1.6,
    Near: r(stage.extent / 2000), Far: r(s.far || stage.extent * 0.4), K: s.k, Radius: r(s.radius || stage.extent * 0.15),
    Frame: s.frame, Cells: Boolean(s.cells), Time: time,
  };
}

// normal makes sense of an address: the mode is one, and its scene moves if that does.
function normal(s) {
  const clamp = (key, low, high) => { s[key] = Math.min(Math.max(Math.round(s[key]), low), high); };
  clamp("fov", 5, 120), clamp("k", 1, 10000), clamp("frame", 0, 600), clamp("n", 1, 1000000), clamp("seed", 0, 2 ** 31), clamp("depth", -1, 63);
  s.share = Math.min(Math.max(s.share, 0), 100);
  if (!modes.some((m) => m.name === s.mode)) s.mode = "camera";
  const moves = Boolean(modes.find((m) => m.name === s.mode).moves);
  if (moves) Object.assign(s, { scene: "bouncing", n: Math.min(s.n, 20000) });
  else if (s.scene === "bouncing" || (s.scene === "file" && page.state.scene !== "file")) s.scene = "city"; // the file went with its page
  return s;
}

const save = () => history.replaceState(null, "", "#" + address.write(page.state));

// Times are taken when the question has rested for a moment.
let later, saving;
function ask() {
  clearTimeout(later);
  clearTimeout(saving);
  saving = setTimeout(save, 150);
  put(false);
  if (!mode().moves || (page.state.mode === "motion" && !playing)) later = setTimeout(() => put(true), 250);
}

function put(time) {
  if (!page.state.eye) return; // other objects are being made: show asks when they are there
  const q = question(time);
  try {
    page.answer = library.ask(q);
    page.question = q;
  } catch (e) {
    panel.busy(e.message, true);
    return;
  }
  panel.busy("");
  page.asked++;
  page.timed = time || Boolean(mode().moves);
  if (mode().moves) stage.solids.set(library.boxes());
  stage.solids.setStates(library.states());
  const a = page.answer;
  stage.subtrees.hide();
  if (a.boxes.length) stage.subtrees.set(new Float32Array(a.boxes));
  if (page.state.mode !== "curve") stage.ways(a.lines);
  stage.shape.show(mode().shape, q);
  panel.answer(a, mode().compared !== false, Boolean(playing));
  stage.dirty();
}

// look shows the state: what is opaque, and which outlines there are.
function look() {
  const s = page.state, m = mode(), solids = stage.solids;
  const curve = s.mode === "curve";
  solids.uniforms.curve.value = curve;
  solids.uniforms.share.value = curve ? s.share / 100 : 1;
  const alpha = { none: 0, solid: 1 }[s.others] ?? page.fog;
  solids.opacity(0, alpha); // what was never looked at
  solids.opacity(4, alpha && Math.max(alpha, 0.3)); // what was tested in vain
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

// drawCurve draws the way along the keys, as far as it has come.
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

// load makes the objects of the state, or takes what a file has made.
function load(about) {
  const s = page.state;
  try {
    page.about = about ?? library.make(s.scene, s.n, s.seed);
  } catch (e) {
    fresh();
    s.scene = "city";
    page.about = library.make(s.scene, s.n, s.seed);
    panel.complain(e.message);
  }
  page.outlined = page.order = null;
  stage.frame(page.about.bounds);
  stage.solids.set(library.boxes());
  page.fog = fog(stage.solids.boxes, stage.extent);
  if (!s.eye || !s.at) place();
  panel.title(`${page.about.title}: ${panel.count(page.about.objects)} objects, built in ${page.about.build.toPrecision(3)} ms`);
}

// fog is how firm pale boxes are: the more of them lie behind each other, the less.
function fog(boxes, extent) {
  const n = boxes.length / 6, step = 6 * Math.ceil(n / 2000);
  let area = 0, count = 0;
  for (let i = 0; i < boxes.length; i += step, count++) {
    const [x, y, z] = [0, 1, 2].map((a) => Math.max(boxes[i + a + 3] - boxes[i + a], extent / 1500));
    area += (x * y + y * z + z * x) / 2; // about what is seen of it
  }
  return Math.min(0.22, Math.max(0.02, 0.5 * extent * extent * count / (area * n)));
}

// place puts the handles where there is something to see.
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

// choose changes the mode, and the scene if it is for the other kind.
function choose(name) {
  stop();
  const s = page.state;
  if (!page.about.moving && s.scene !== "file") Object.assign(still, { scene: s.scene, n: s.n });
  s.mode = name;
  then = mode().moves && !matchMedia("(prefers-reduced-motion: reduce)").matches ? () => play(frame) : null;
  if (Boolean(mode().moves) !== page.about.moving) {
    Object.assign(s, mode().moves ? { scene: "bouncing", n: 20000 } : still);
    fresh();
    reload();
    return;
  }
  show();
}

// reload makes the objects anew, after the browser has said so.
function reload(about) {
  panel.busy("building the tree");
  setTimeout(() => {
    load(about);
    stage.view = page.state.view;
    show();
  }, 30);
}
let then = null; // what follows when a mode is shown

// The animation: of frames, or of the curve.
let playing = 0;
function stop() { cancelAnimationFrame(playing), playing = 0; }
function play(step) {
  if (playing) return stop();
  const next = () => {
    playing = requestAnimationFrame(next);
    step();
  };
  next();
}

const set = (key, then = ask) => (value) => { page.state[key] = value; then(); };
const plain = (x) => Number(x.toPrecision(3)).toLocaleString("en-US");
const share = (key, normal) => () => [panel.slider({ far: "reach", radius: "radius" }[key],
  { min: 0.01, max: 1.2, step: 0.01, value: (page.state[key] || stage.extent * normal) / stage.extent, show: (x) => plain(x * stage.extent) },
  (x) => set(key)(address.round(x * stage.extent)))];

const rows = {
  fov: () => [panel.slider("field of view", { min: 5, max: 120, value: page.state.fov, show: (x) => x + "°" }, set("fov"))],
  far: share("far", 0.4),
  radius: share("radius", 0.15),
  k: () => [panel.slider("how many", { min: 0, max: 100, value: Math.round(25 * Math.log10(page.state.k)), show: (x) => panel.count(10 ** (x / 25)) },
    (x) => set("k")(Math.round(10 ** (x / 25))))],
  drag: () => [panel.choice("drag", [[0, "along the ground"], [1, "up and down"]], page.state.height, set("height", () => save()))],
  others: () => [panel.choice("the others", [["pale", "pale"], ["none", "none"], ["solid", "solid"]], page.state.others, set("others", () => { look(), save(); }))],
  cells: () => [panel.choice("boxes", [[0, "tight boxes"], [1, "cells"]], page.state.cells, set("cells", () => { page.state.depth = -1, show(); }))],
  depth: () => [panel.slider(page.state.cells ? "level" : "depth",
    { min: -1, max: page.state.cells ? 12 : page.about.depth, value: page.state.depth, show: (x) => (x < 0 ? "all" : String(x)) }, set("depth", () => { look(), save(); }))],
  share: () => [panel.slider("of the curve", { min: 0, max: 100, step: 0.1, value: page.state.share, show: (x) => x.toFixed(1) + " %" }, set("share", () => { look(), save(); })),
    playRow(() => {
      page.state.share = page.state.share >= 100 ? 0 : Math.min(100, Math.round(10 * page.state.share + 3) / 10);
      if (page.state.share >= 100) stop(), save();
      slide("of the curve", page.state.share);
      look();
    })],
  frame: () => [panel.slider("frame", { min: 0, max: 600, value: page.state.frame }, (x) => { stop(), set("frame")(x); }),
    playRow(frame)],
};

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
  if (page.about.moving) return [];
  const change = (key) => (value) => {
    s[key] = key === "n" ? Number(value) : value;
    fresh();
    reload();
  };
  const scenes = ["city", "uniform", "clustered", "surface", "points", "plane", "huge"].map((x) => [x, x]);
  const sizes = [1000, 10000, 100000, 300000, 1000000].map((x) => [x, panel.count(x)]);
  if (s.scene === "file") scenes.unshift(["file", "file"]);
  if (!scenes.some(([x]) => x === s.scene)) scenes.unshift([s.scene, s.scene]);
  if (!sizes.some(([x]) => x === s.n)) sizes.unshift([s.n, panel.count(s.n)]);
  return [
    panel.select("objects", [{ label: "scene", options: scenes, value: s.scene, changed: change("scene") }, { label: "how many", options: sizes, value: s.n, changed: change("n") }]),
    panel.file("or a file", open),
  ];
}

async function open(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    panel.busy("reading " + file.name);
    const about = library.open(file.name, bytes);
    stop();
    if (mode().moves) page.state.mode = "camera";
    page.state.scene = "file";
    fresh();
    reload(about);
  } catch (e) {
    panel.complain(e.message);
  }
}
page.open = open;

function listen() {
  watch(stage, () => {
    const shape = mode().shape, s = page.state;
    return shape === "none" || !s.eye ? [] : shape === "ball" || shape === "point" ? [["eye", s.eye]] : [["eye", s.eye], ["at", s.at]];
  }, () => page.state.height, (which, to) => {
    const s = page.state;
    if (which === "eye") s.at = s.at.map((x, i) => address.round(x + to[i] - s.eye[i])); // the camera keeps its direction
    s[which] = to.map(address.round);
    ask();
  });
  addEventListener("hashchange", () => {
    stop();
    const old = page.state, s = (page.state = normal(address.read(location.hash)));
    if (s.scene !== old.scene || s.n !== old.n || s.seed !== old.seed) return reload();
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

try {
  await library.start();
  stage = new Stage(document.getElementById("canvas"), () => { page.state.view = stage.view.map(address.round), save(); });
  page.stage = stage;
  page.state.scene = page.state.scene === "file" ? "city" : page.state.scene;
  normal(page.state);
  load();
  stage.view = page.state.view;
  listen();
  show();
} catch (e) {
  panel.busy(e.message, true);
  throw e;
}
