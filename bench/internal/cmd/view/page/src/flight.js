// The opening flight: from behind the camera of the query to the view of all objects, while that camera turns.
import { aimed } from "./keys.js";

const duration = 5000, sweep = 1.2; // milliseconds, radians

// fly starts it. step(at) shows the query with a target; done is called at the end, or when a touch, a click, the
// wheel or a key has stopped the flight: then with the target of that moment. A frame longer than slow(), in
// milliseconds, ends the flight, too.
export function fly(stage, eye, at, slow, step, done) {
  const to = stage.whole(), e = stage.local(eye), f = stage.local(at);
  const level = Math.hypot(f[0] - e[0], f[1] - e[1]) || 1, x = (f[0] - e[0]) / level, y = (f[1] - e[1]) / level;
  const from = [e[0] - 14 * x, e[1] - 14 * y, e[2] + 8, e[0] + 14 * x, e[1] + 14 * y, e[2]];
  const events = ["pointerdown", "wheel", "keydown"];
  let start = 0, before = 0, frames = 0, target = at, running = true;

  const end = (stopped) => {
    if (!running) return;
    running = false;
    for (const name of events) removeEventListener(name, stop, true);
    if (!stopped) stage.view = to;
    done(stopped ? target : at);
  };
  const stop = () => end(true);
  const frame = (now) => {
    if (!running) return;
    start ||= now;
    if (++frames > 3 && now - before > slow()) return end(false);
    before = now;
    const t = Math.min((now - start) / duration, 1), ease = t * t * (3 - 2 * t);
    if (t === 1) return end(false);
    stage.view = from.map((v, i) => v + (to[i] - v) * ease);
    target = aimed(eye, at, sweep * Math.cos(ease * Math.PI / 2) ** 2, 0);
    step(target);
    requestAnimationFrame(frame);
  };
  for (const name of events) addEventListener(name, stop, { capture: true, passive: true });
  stage.view = from;
  step(aimed(eye, at, sweep, 0));
  requestAnimationFrame(frame);
}
