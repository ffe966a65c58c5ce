// What the page uses of three.js, in a file of its own.
export {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, InstancedBufferAttribute, InstancedBufferGeometry,
  InstancedInterleavedBuffer, InterleavedBufferAttribute, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  PerspectiveCamera, Plane, Points, PointsMaterial, Raycaster, Scene, ShaderMaterial, SphereGeometry, Vector2, Vector3,
  Vector4, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
