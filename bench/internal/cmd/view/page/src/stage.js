// The picture: objects, outlines, the shape of the question and its two handles.
import { Group, LineBasicMaterial, LineSegments, BufferAttribute, BufferGeometry, PerspectiveCamera, Scene, Vector3, WebGLRenderer, OrbitControls } from "./three.js";
import { Edges, Solids } from "./boxes.js";
import { Shape } from "./shape.js";
import * as colours from "./colours.js";

// What is there is shown with this size, whatever its units are.
const size = 100;

export class Stage {
  constructor(canvas, turned) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setClearColor(0xffffff);
    this.scene = new Scene();
    this.world = new Group(); // in it coordinates are those of the objects
    this.scene.add(this.world);
    this.camera = new PerspectiveCamera(45, 1, 0.05, 2000);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.addEventListener("change", () => this.dirty());
    this.orbit.addEventListener("end", turned);

    this.solids = new Solids(this.world);
    this.tree = new Edges(this.world, colours.depths);
    this.subtrees = new Edges(this.world, [colours.states[2]]);
    this.shape = new Shape(this.world);
    this.way = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: colours.ink, transparent: true, opacity: 0.75, depthTest: false }));
    this.way.frustumCulled = false;
    this.way.renderOrder = 4;
    this.world.add(this.way);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // frame scales the world to what is there.
  frame(bounds) {
    const low = bounds.slice(0, 3), high = bounds.slice(3);
    const sides = high.map((h, i) => h - low[i]);
    this.extent = Math.max(...sides) || 1;
    this.radius = size / 2 * (0.92 * Math.hypot(sides[0], sides[1]) + 0.6 * sides[2]) / this.extent || size / 2;
    const scale = size / this.extent;
    this.world.scale.setScalar(scale);
    this.world.position.set(...low.map((l, i) => -scale * (l + high[i]) / 2));
    this.world.updateMatrixWorld(true);
    this.solids.uniforms.least.value = this.extent / 1500;
    this.shape.unit = this.extent / size;
  }

  // view sets where the picture is taken from, in numbers that views have returned.
  set view(numbers) {
    const v = numbers ?? this.whole();
    this.orbit.target.set(...v.slice(3));
    this.camera.position.set(...v.slice(0, 3));
    this.orbit.update();
    this.dirty();
  }

  // whole is from where all is seen, from above.
  whole() {
    const half = Math.tan(this.camera.fov * Math.PI / 360) * Math.min(1, this.camera.aspect);
    const d = this.radius * Math.max(1 / half, 1.3);
    return [-0.46 * d, -0.7 * d, 0.55 * d, 0, 0, 0];
  }

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
