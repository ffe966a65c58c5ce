// The state of the page, which its address holds, except for the values of defaults. Numbers have seven digits,
// in the address and in the questions.
export const defaults = {
  mode: "camera", scene: "city", n: 100000, seed: 1,
  data: "", // name of a file of the server, for the scene data
  eye: null, at: null, view: null, // six numbers: the position of the picture's camera, and its target
  fov: 50, far: 0, radius: 0, k: 100, depth: -1, cells: 0, share: 40, frame: 0, others: "pale", height: 0,
};

export const round = (x) => Number(x.toPrecision(7));

// write returns the part of an address after #.
export function write(state) {
  const parts = [];
  for (const [key, normal] of Object.entries(defaults)) {
    const value = state[key];
    if (value === null || value === normal) continue;
    parts.push(key + "=" + (Array.isArray(value) ? value.map(round).join(",") : key === "data" ? encodeURIComponent(value) : value));
  }
  return parts.join("&");
}

// read returns the state of such a part, without invalid values.
export function read(text) {
  const state = { ...defaults };
  for (const part of text.replace(/^#/, "").split("&")) {
    const [key, value] = part.split("=");
    if (!(key in defaults) || value === undefined || value === "") continue;
    const normal = defaults[key];
    if (normal === null) {
      const list = value.split(",").map(Number);
      if ((list.length === 3 || (key === "view" && list.length === 6)) && list.every(Number.isFinite)) state[key] = list;
    } else if (typeof normal === "number") {
      if (Number.isFinite(Number(value))) state[key] = Number(value);
    } else if (key === "data") {
      try {
        state[key] = decodeURIComponent(value);
      } catch {} // not encoded: no name
    } else if (/^[a-z]+$/.test(value)) {
      state[key] = value;
    }
  }
  return state;
}
