// Dragging the handles of the question: on their level, or with Shift or the switch of
// the page up and down.
import { Plane, Raycaster, Vector2, Vector3 } from "./three.js";

const reach = { mouse: 18, touch: 32, pen: 24 }; // pixels

// watch calls moved(which, from, to) with points of the world.
export function watch(stage, handles, upright, moved) {
  const canvas = stage.canvas, caster = new Raycaster();
  let held = null;

  const at = (e) => {
    const r = canvas.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top, r };
  };
  const near = (e) => {
    const p = at(e);
    let best = null, least = reach[e.pointerType] ?? 20;
    for (const [which, point] of handles()) {
      const s = stage.onScreen(point), d = Math.hypot(s.x - p.x, s.y - p.y);
      if (!s.behind && d < least) [best, least] = [{ which, point }, d];
    }
    return best;
  };
  // hit returns the point of the handle's level, or of the upright plane, under the pointer.
  const hit = (e, point, up) => {
    const p = at(e), start = stage.world.localToWorld(new Vector3(...point));
    caster.setFromCamera(new Vector2(p.x / p.r.width * 2 - 1, 1 - p.y / p.r.height * 2), stage.camera);
    const normal = up ? stage.camera.getWorldDirection(new Vector3()).setZ(0).normalize() : new Vector3(0, 0, 1);
    const found = caster.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, start), new Vector3());
    return found && stage.world.worldToLocal(found).toArray();
  };

  canvas.addEventListener("pointerdown", (e) => {
    const found = e.button === 0 && near(e);
    if (!found) return;
    e.stopImmediatePropagation();
    stage.orbit.enabled = false;
    canvas.setPointerCapture(e.pointerId);
    const up = e.shiftKey || upright();
    held = { ...found, up, from: hit(e, found.point, up) };
  }, true);
  canvas.addEventListener("pointermove", (e) => {
    if (!held) {
      canvas.style.cursor = e.pointerType === "mouse" && near(e) ? "grab" : "";
      return;
    }
    const to = hit(e, held.point, held.up);
    if (!to || !held.from) return;
    const by = held.up ? [0, 0, to[2] - held.from[2]] : [to[0] - held.from[0], to[1] - held.from[1], 0];
    if (Math.hypot(...by) > 2 * stage.extent) return; // towards the horizon
    moved(held.which, held.point.map((x, i) => x + by[i]));
  });
  const drop = () => {
    held = null;
    stage.orbit.enabled = true;
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);
}
