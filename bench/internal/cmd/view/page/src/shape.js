// The shape of the question: a frustum, a ray, a ball, and the two handles.
import { BufferAttribute, BufferGeometry, DoubleSide, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "./three.js";
import { now } from "./colours.js";

const sub = (a, b) => a.map((x, i) => x - b[i]);
const add = (a, b, s) => a.map((x, i) => x + s * b[i]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((x) => x / l); };

// corners returns those of a camera's frustum: four near, four far.
export function corners(q) {
  const forward = unit(sub(q.At, q.Eye));
  const right = unit(cross(forward, forward[0] || forward[1] ? [0, 0, 1] : [0, 1, 0]));
  const up = cross(right, forward), tan = Math.tan(q.FovY / 2);
  return [q.Near, q.Far].flatMap((d) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) =>
    add(add(add(q.Eye, forward, d), right, x * d * tan * q.Aspect), up, y * d * tan)));
}

export class Shape {
  constructor(group) {
    this.unit = 1;
    const lines = new LineBasicMaterial();
    this.lines = new LineSegments(new BufferGeometry(), lines);
    const pale = () => new MeshBasicMaterial({ transparent: true, depthWrite: false, side: DoubleSide });
    this.faces = new Mesh(new BufferGeometry(), pale());
    this.ball = new Mesh(new SphereGeometry(1, 48, 32), pale());
    const handle = () => new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ depthTest: false, transparent: true }));
    this.eye = handle();
    this.at = handle();
    this.recolour();
    this.lines.renderOrder = 3;
    for (const part of [this.faces, this.ball]) part.renderOrder = 0.5; // before what is firm
    for (const part of [this.eye, this.at]) part.renderOrder = 5;
    for (const part of [this.lines, this.faces, this.ball, this.eye, this.at]) {
      part.frustumCulled = false;
      group.add(part);
    }
  }

  recolour() {
    const dark = now.back !== "#ffffff";
    for (const part of [this.faces, this.ball]) part.material.color.set(now.light), part.material.opacity = dark ? 0.1 : 0.2;
    for (const part of [this.lines, this.at]) part.material.color.set(now.ink);
    this.eye.material.color.set(now.states[5]);
  }

  // show draws the shape of a question.
  show(kind, q) {
    const frustum = kind === "camera", ray = kind === "ray";
    this.eye.visible = kind !== "none";
    this.at.visible = this.lines.visible = frustum || ray;
    this.faces.visible = frustum;
    this.ball.visible = kind === "ball";
    this.eye.position.set(...q.Eye);
    this.at.position.set(...q.At);
    this.ball.position.set(...q.Eye);
    this.ball.scale.setScalar(q.Radius);
    if (frustum) this.frustum(corners(q));
    if (ray) this.segments([q.Eye, add(q.Eye, unit(sub(q.At, q.Eye)), q.Far)]);
  }

  frustum(c) {
    const pairs = [];
    for (let i = 0; i < 4; i++) {
      const j = (i + 1) % 4;
      pairs.push(c[i], c[j], c[i + 4], c[j + 4], c[i], c[i + 4]);
    }
    this.segments(pairs);
    const faces = [];
    for (let i = 0; i < 4; i++) {
      const j = (i + 1) % 4;
      faces.push(c[i], c[j], c[j + 4], c[i], c[j + 4], c[i + 4]);
    }
    faces.push(c[4], c[5], c[6], c[4], c[6], c[7]);
    this.fill(this.faces, faces);
  }

  segments(points) { this.fill(this.lines, points); }

  fill(part, points) {
    part.geometry.dispose();
    part.geometry = new BufferGeometry();
    part.geometry.setAttribute("position", new BufferAttribute(new Float32Array(points.flat()), 3));
  }

  // face keeps the handles as large on the screen wherever they are.
  face(camera) {
    for (const part of [this.eye, this.at]) {
      const d = part.getWorldPosition(new Vector3()).distanceTo(camera.position);
      part.scale.setScalar(this.unit * d * 0.0085);
    }
  }
}
