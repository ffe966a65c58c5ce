// The modes. A mode has a name of package demo, the shape that it draws, the rows of the panel that it uses,
// and a scene if it needs one.
export const modes = [
  {
    name: "camera", title: "Frustum", shape: "camera", controls: ["fov", "range", "others", "drag"],
    lead: "Frustum culling. Drag the red eye or the dark target; drag elsewhere to turn the picture. Subtrees inside the frustum (green) are taken without a test.",
  },
  {
    name: "occlusion", title: "Occlusion", shape: "camera", controls: ["fov", "range", "others", "drag"],
    lead: "Occlusion culling. Every box is solid: boxes behind others (pink) need not be drawn.",
  },
  {
    name: "ray", title: "Ray", shape: "ray", controls: ["range", "others", "drag"],
    lead: "A ray cast: all boxes on the ray, in order of distance. The first is green.",
  },
  {
    name: "nearest", title: "Nearest", shape: "point", controls: ["k", "others", "drag"],
    lead: "A k-nearest-neighbour search from the red point. The nearest box is green.",
  },
  {
    name: "pairs", title: "Pairs", shape: "none", controls: ["others"],
    lead: "The broad phase of collision detection: all pairs of boxes that overlap.",
  },
  {
    name: "motion", title: "Motion", shape: "camera", controls: ["frame", "fov", "range", "others", "drag"], scene: "bouncing", n: 20000, moves: true,
    lead: "All boxes move in each frame, and the tree is updated. Then a frustum query runs.",
  },
  {
    name: "interest", title: "Interest", shape: "ball", controls: ["frame", "radius", "others", "drag"], scene: "bouncing", n: 20000, moves: true, times: ["tracker", "loop over all"],
    lead: "Interest management: objects that enter (green) and leave (orange) the area of a viewer in each frame.",
  },
  {
    name: "map", title: "Live map", shape: "ball", controls: ["frame", "radius", "k", "others"], scene: "lidar", n: 30000, moves: true, fixed: true, follows: true,
    lead: "A LiDAR drives through a town. Each scan inserts its points and removes the points outside the window. Then a radius search (blue) and a nearest-neighbour search (green) run.",
  },
  {
    name: "instances", title: "Instances", shape: "camera", controls: ["fov", "range", "others", "drag"], scene: "blocks", n: 100000,
    lead: "Instancing: each part is stored once, and its instances are transforms. The frustum is transformed into the space of each instance.",
  },
  {
    name: "tree", title: "Tree", shape: "none", controls: ["cells", "depth", "others"], outlines: true, untimed: true,
    lead: "The bounding boxes of nodes and packets, by depth. Queries test these tight boxes, not the cells.",
  },
  {
    name: "curve", title: "Curve", shape: "none", controls: ["share"], outlines: true, untimed: true,
    lead: "The build: objects are sorted along the Morton curve. Up to 16 neighbours become a packet, and up to 16 packets a node.",
  },
];
