// What can be asked. A mode has a name that package demo knows, the shape that it
// draws, and the rows of the panel that it uses.
export const modes = [
  {
    name: "camera", title: "camera", shape: "camera", controls: ["fov", "far", "others", "drag"],
    lead: "Drag the red eye, or the dark point that it looks at; drag elsewhere to turn the picture. Green subtrees lie wholly inside: their objects are taken without a test.",
  },
  {
    name: "occlusion", title: "hidden", shape: "camera", controls: ["fov", "far", "others", "drag"],
    lead: "Every box is solid: what is hidden behind others is not drawn by a game.",
  },
  {
    name: "ray", title: "ray", shape: "ray", controls: ["far", "others", "drag"],
    lead: "What a ray meets, in order of distance; the first is green.",
  },
  {
    name: "nearest", title: "nearest", shape: "point", controls: ["k", "others", "drag"],
    lead: "The nearest boxes to a point, in order; the nearest is green.",
  },
  {
    name: "pairs", title: "pairs", shape: "none", controls: ["others"],
    lead: "All pairs of boxes that overlap.",
  },
  {
    name: "tree", title: "tree", shape: "none", controls: ["cells", "depth", "others"], outlines: true, compared: false,
    lead: "Queries test tight boxes, never cells. Slide through their depth.",
  },
  {
    name: "curve", title: "curve", shape: "none", controls: ["share"], outlines: true, compared: false,
    lead: "Objects sorted along the Morton curve; 16 after 16 become packets, and 16 packets a node: that is the build.",
  },
  {
    name: "motion", title: "motion", shape: "camera", controls: ["frame", "fov", "far", "others", "drag"], moves: true,
    lead: "20,000 boxes move, all in each frame, and a camera asks.",
  },
  {
    name: "interest", title: "entered, left", shape: "ball", controls: ["frame", "radius", "others", "drag"], moves: true,
    lead: "A viewer is told what enters and leaves its area. Play, or drag the eye.",
  },
];
