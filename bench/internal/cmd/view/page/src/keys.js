// The keyboard of the picture: keys act while the canvas has the focus.
const turn = Math.PI / 36;

// listen calls the functions of act: turn(left, up, zoom), move(forward, right, up), aim(left, up), reset() and play().
export function listen(canvas, act) {
  const keys = {
    arrowleft: () => act.turn(-turn, 0), arrowright: () => act.turn(turn, 0), arrowup: () => act.turn(0, turn), arrowdown: () => act.turn(0, -turn),
    "+": () => act.turn(0, 0, 1 / 1.1), "=": () => act.turn(0, 0, 1 / 1.1), "-": () => act.turn(0, 0, 1.1),
    w: () => act.move(1, 0, 0), s: () => act.move(-1, 0, 0), d: () => act.move(0, 1, 0), a: () => act.move(0, -1, 0), e: () => act.move(0, 0, 1), q: () => act.move(0, 0, -1),
    j: () => act.aim(turn, 0), l: () => act.aim(-turn, 0), i: () => act.aim(0, turn), k: () => act.aim(0, -turn),
    home: act.reset, " ": act.play,
  };
  canvas.addEventListener("keydown", (e) => {
    const run = keys[e.key.toLowerCase()];
    if (!run || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    run();
  });
}

const sub = (a, b) => a.map((x, i) => x - b[i]);

// moved returns a position moved in the level of a heading, and up.
export function moved(point, heading, forward, right, up) {
  const l = Math.hypot(heading[0], heading[1]) || 1, x = heading[0] / l, y = heading[1] / l;
  return [point[0] + forward * x + right * y, point[1] + forward * y - right * x, point[2] + up];
}

// aimed returns the target of a camera turned by angles to the left and up.
export function aimed(eye, at, left, up) {
  const o = sub(at, eye), r = Math.hypot(...o) || 1;
  const azimuth = Math.atan2(o[1], o[0]) + left, elevation = Math.min(Math.max(Math.asin(o[2] / r) + up, -1.5), 1.5);
  return [eye[0] + r * Math.cos(elevation) * Math.cos(azimuth), eye[1] + r * Math.cos(elevation) * Math.sin(azimuth), eye[2] + r * Math.sin(elevation)];
}
