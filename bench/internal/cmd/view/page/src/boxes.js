// Many boxes in one draw call: each instance is its two corners.
import {
  BufferAttribute, Color, InstancedBufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer,
  InterleavedBufferAttribute, LineSegments, Mesh, ShaderMaterial, Vector4,
} from "./three.js";
import { now } from "./colours.js";

const palette = (list) => list.map((c) => new Color(c).convertLinearToSRGB());

const corners = []; // of the unit cube, x the lowest bit
for (let i = 0; i < 8; i++) corners.push([i & 1, (i >> 1) & 1, i >> 2]);

// Faces with their outward normals, for solid boxes.
function cube() {
  const position = [], normal = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [0, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3;
      const at = (a, b) => {
        const p = [0, 0, 0];
        p[axis] = side, p[u] = a, p[v] = b;
        return p;
      };
      const square = side ? [at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)] : [at(0, 0), at(1, 1), at(1, 0), at(0, 0), at(0, 1), at(1, 1)];
      const n = [0, 0, 0];
      n[axis] = side ? 1 : -1;
      for (const p of square) position.push(...p), normal.push(...n);
    }
  }
  return { position, normal };
}

// The twelve edges.
function edges() {
  const position = [];
  for (let i = 0; i < 8; i++) {
    for (const bit of [1, 2, 4]) if (!(i & bit)) position.push(...corners[i], ...corners[i | bit]);
  }
  return position;
}

const attribute = (list) => new BufferAttribute(new Float32Array(list), 3);

// setBoxes gives a geometry its instances; the array is kept.
function setBoxes(geometry, boxes) {
  const buffer = new InstancedInterleavedBuffer(boxes, 6, 1);
  geometry.setAttribute("low", new InterleavedBufferAttribute(buffer, 3, 0));
  geometry.setAttribute("high", new InterleavedBufferAttribute(buffer, 3, 3));
  geometry.instanceCount = boxes.length / 6;
  return buffer;
}

const solidVertex = `
  attribute vec3 low, high;
  attribute float state, rank;
  uniform vec4 colours[7];
  uniform vec3 hues[8];
  uniform float ghosts, least, share;
  uniform bool curve;
  varying vec4 colour;
  void main() {
    vec4 c = colours[int(state + 0.5)];
    if (curve) {
      float at = rank * 7.0;
      int i = min(int(at), 6);
      c = vec4(mix(hues[i], hues[i + 1], at - float(i)), rank <= share ? 1.0 : 0.0);
    }
    if (c.a == 0.0 || (c.a < 1.0) != (ghosts > 0.5)) { // not of this pass: no area
      gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
      return;
    }
    vec3 middle = (low + high) * 0.5, side = max(high - low, vec3(least));
    float shade = 0.78 + 0.22 * dot(normal, normalize(vec3(-0.35, -0.55, 0.85)));
    colour = vec4(c.rgb * (c.a < 1.0 ? 1.0 : shade), c.a);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(middle + side * (position - 0.5), 1.0);
  }`;

const fragment = `
  varying vec4 colour;
  void main() { gl_FragColor = colour; }`;

// Solids are the objects: pale boxes are drawn first and hide nothing.
export class Solids {
  constructor(group) {
    const { position, normal } = cube();
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute("position", attribute(position));
    this.geometry.setAttribute("normal", attribute(normal));
    this.uniforms = {
      colours: { value: now.states.map(() => new Vector4(0, 0, 0, 1)) },
      hues: { value: [] },
      least: { value: 0 }, share: { value: 1 }, curve: { value: false },
    };
    const pass = (ghosts) => {
      const material = new ShaderMaterial({
        vertexShader: solidVertex, fragmentShader: fragment, transparent: true, depthWrite: !ghosts,
        uniforms: { ...this.uniforms, ghosts: { value: ghosts ? 1 : 0 } },
      });
      const mesh = new Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = ghosts ? 0 : 1;
      group.add(mesh);
      return mesh;
    };
    this.pale = pass(true);
    this.firm = pass(false);
    this.opacity(6, 0); // removed objects
    this.recolour();
  }

  // recolour takes the colours in use.
  recolour() {
    palette(now.states).forEach((c, i) => {
      const v = this.uniforms.colours.value[i];
      v.set(c.r, c.g, c.b, v.w);
    });
    this.uniforms.hues.value = palette(now.curve);
  }

  // set draws boxes. A list that grows has room for some more.
  set(boxes, more = 0) {
    const n = boxes.length / 6;
    this.boxes = boxes;
    if (this.buffer && boxes.length <= this.buffer.array.length && (more || boxes.length === this.buffer.array.length)) {
      this.buffer.array.set(boxes);
      this.buffer.needsUpdate = true;
      this.geometry.instanceCount = n;
      return;
    }
    this.geometry.dispose();
    const room = Math.ceil(n * (1 + more)), list = new Float32Array(6 * room);
    list.set(boxes);
    this.buffer = setBoxes(this.geometry, list);
    this.geometry.instanceCount = n;
    this.geometry.setAttribute("state", new InstancedBufferAttribute(new Uint8Array(room), 1));
    this.geometry.setAttribute("rank", new InstancedBufferAttribute(new Float32Array(room), 1));
  }

  setStates(list) {
    const a = this.geometry.getAttribute("state");
    a.array.set(list);
    a.needsUpdate = true;
  }

  setRanks(list) {
    const a = this.geometry.getAttribute("rank");
    a.array.set(list);
    a.needsUpdate = true;
  }

  // opacity is that of a state; 0 leaves it out.
  opacity(state, alpha) { this.uniforms.colours.value[state].w = alpha; }
}

const edgeVertex = `
  attribute vec3 low, high;
  attribute float depth, rank;
  uniform vec3 hues[8];
  uniform float first, last, share, opacity;
  varying vec4 colour;
  void main() {
    if (depth < first - 0.5 || depth > last + 0.5 || rank > share) {
      gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
      return;
    }
    colour = vec4(hues[min(int(depth + 0.5), 7)], opacity);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(low, high, position), 1.0);
  }`;

// Edges are outlines of boxes with the colours of their depths.
export class Edges {
  // hues returns the colours in use.
  constructor(group, hues) {
    this.list = hues;
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute("position", attribute(edges()));
    this.uniforms = {
      hues: { value: [] }, first: { value: 0 }, last: { value: 99 }, share: { value: 1 }, opacity: { value: 1 },
    };
    const material = new ShaderMaterial({ vertexShader: edgeVertex, fragmentShader: fragment, transparent: true, depthWrite: false, uniforms: this.uniforms });
    this.lines = new LineSegments(this.geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 2;
    this.lines.visible = false;
    group.add(this.lines);
    this.recolour();
  }

  recolour() {
    const list = this.list();
    this.uniforms.hues.value = palette(Array.from({ length: 8 }, (_, i) => list[i % list.length]));
  }

  set(boxes, depths, ranks) {
    this.geometry.dispose();
    this.lines.visible = boxes.length > 0;
    setBoxes(this.geometry, boxes);
    const n = boxes.length / 6;
    this.geometry.setAttribute("depth", new InstancedBufferAttribute(depths ?? new Float32Array(n), 1));
    this.geometry.setAttribute("rank", new InstancedBufferAttribute(ranks ?? new Float32Array(n), 1));
  }

  hide() { this.lines.visible = false; }
}
