// The picture: objects, outlines, the shape of the question and its two handles.
import { Group, LineBasicMaterial, LineSegments, BufferAttribute, BufferGeometry, PerspectiveCamera, Scene, Vector3, WebGLRenderer, OrbitControls } from "./three.js";
import { Edges, Solids } from "./boxes.js";
import { Shape } from "./shape.js";
import { now } from "./colours.js";

// The longest side of the bounds in the picture, in any unit.
const size = 100;

export class Stage {
  constructor(canvas, turned) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.scene = new Scene();
    this.world = new Group(); // in it coordinates are those of the objects
    this.scene.add(this.world);
    this.camera = new PerspectiveCamera(45, 1, 0.05, 2000);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.addEventListener("change", () => this.dirty());
    this.orbit.addEventListener("end", turned);

    this.solids = new Solids(this.world);
    this.tree = new Edges(this.world, () => now.depths);
    this.subtrees = new Edges(this.world, () => [now.states[2]]);
    this.shape = new Shape(this.world);
    this.way = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.75, depthTest: false }));
    this.way.frustumCulled = false;
    this.way.renderOrder = 4;
    this.world.add(this.way);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // recolour takes the colours in use.
  recolour() {
    this.renderer.setClearColor(now.back);
    this.way.material.color.set(now.ink);
    for (const part of [this.solids, this.tree, this.subtrees, this.shape]) part.recolour();
    this.dirty();
  }

  // turn moves the camera around its target, by angles to the left and up; zoom scales its distance.
  turn(left, up, zoom = 1) {
    const t = this.orbit.target, o = this.camera.position.clone().sub(t), r = o.length() * zoom;
    const azimuth = Math.atan2(o.y, o.x) + left, elevation = Math.min(Math.max(Math.asin(o.z / o.length()) + up, -1.5), 1.5);
    const level = r * Math.cos(elevation);
    this.camera.position.set(t.x + level * Math.cos(azimuth), t.y + level * Math.sin(azimuth), t.z + r * Math.sin(elevation));
    this.orbit.update();
    this.dirty();
  }

  // heading returns the direction of the picture's camera.
  heading() { return this.orbit.target.clone().sub(this.camera.position).toArray(); }

  // frame scales the world to the bounds of the objects.
  frame(bounds) {
    const low = bounds.slice(0, 3), high = bounds.slice(3);
    const sides = high.map((h, i) => h - low[i]);
    this.extent = Math.max(...sides) || 1;
    const scale = size / this.extent;
    this.half = sides.map((s) => scale * s / 2 || size / 100);
    this.world.scale.setScalar(scale);
    this.world.position.set(...low.map((l, i) => -scale * (l + high[i]) / 2));
    this.world.updateMatrixWorld(true);
    this.shape.unit = this.extent / size;
  }

  // follow moves the world so that a point is above or below the middle of the bounds.
  follow(point) {
    for (const a of [0, 1]) this.world.position.setComponent(a, -this.world.scale.x * point[a]);
    this.world.updateMatrixWorld(true);
  }

  // view sets where the picture is taken from, in numbers that views have returned.
  set view(numbers) {
    const v = numbers ?? this.whole();
    this.orbit.target.set(...v.slice(3));
    this.camera.position.set(...v.slice(0, 3));
    this.orbit.update();
    this.dirty();
  }

  // whole is from where all is seen, from above: as near as the window lets it be, and in its
  // middle. A corner is at x and y across the picture and z towards the eye; from a distance d it
  // is in the picture where |x - middle| ≤ tan (d - z).
  whole() {
    const back = new Vector3(-0.46, -0.7, 0.55).normalize(), right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new Vector3().crossVectors(back, right), tan = Math.tan(this.camera.fov * Math.PI / 360) * 0.92;
    let distance = 0;
    const middle = [[right, tan * this.camera.aspect], [up, tan]].map(([axis, tan]) => {
      let most = -Infinity, least = Infinity;
      for (let i = 0; i < 8; i++) {
        const corner = new Vector3(...this.half.map((h, a) => (i >> a & 1 ? h : -h))), x = corner.dot(axis), z = corner.dot(back);
        [most, least] = [Math.max(most, x + tan * z), Math.min(least, x - tan * z)];
      }
      distance = Math.max(distance, (most - least) / (2 * tan));
      return axis.clone().multiplyScalar((most + least) / 2);
    });
    const target = middle[0].add(middle[1]);
    return [...target.clone().addScaledVector(back, distance).toArray(), ...target.toArray()];
  }

  // local returns a point of the objects in the coordinates of the picture.
  local(point) { return this.world.localToWorld(new Vector3(...point)).toArray(); }

  get view() { return [...this.camera.position.toArray(), ...this.orbit.target.toArray()]; }

  // ways draws lines through points, pairs of them.
  ways(points, opacity = 0.75) {
    this.way.geometry.dispose();
    this.way.geometry = new BufferGeometry();
    this.way.geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    this.way.material.opacity = opacity;
    this.way.visible = points.length > 0;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.fov = 45;
    this.camera.updateProjectionMatrix();
    this.dirty();
  }

  dirty() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.pending = false;
    this.shape.face(this.camera);
    this.renderer.render(this.scene, this.camera);
    this.drawn = (this.drawn ?? 0) + 1;
  }

  // onScreen returns where a point of the world is on the canvas, in CSS pixels.
  onScreen(point) {
    const p = this.world.localToWorld(new Vector3(...point)).project(this.camera);
    const r = this.canvas.getBoundingClientRect();
    return { x: (p.x + 1) / 2 * r.width, y: (1 - p.y) / 2 * r.height, behind: p.z > 1 };
  }
}
