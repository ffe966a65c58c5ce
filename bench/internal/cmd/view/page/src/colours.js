// The colours of the picture, for a light and a dark page. States are those of package demo; the light ones are
// those of bench picture.
const schemes = {
  light: {
    states: ["#c3c8d0", "#0072b2", "#009e73", "#c2188b", "#e9a23b", "#d55e00", "#ffffff"],
    depths: ["#2d0b59", "#a52c60", "#d55e00", "#e9a23b", "#c9b400", "#56b4e9", "#0072b2", "#777777"],
    curve: ["#2d0b59", "#5b1a6b", "#8a2267", "#b63655", "#d55e00", "#e38119", "#e9a23b", "#d9b92a"],
    ink: "#222222", light: "#f0e442", back: "#ffffff",
  },
  dark: {
    states: ["#79828e", "#4aa8e0", "#17b890", "#e05ab4", "#f0b050", "#ff7a33", "#000000"],
    depths: ["#b79cf0", "#e56a9d", "#ff7a33", "#f0b050", "#d6c72b", "#7cc7f2", "#4aa8e0", "#aaaaaa"],
    curve: ["#8f7be8", "#a96fd6", "#c766b8", "#e0648f", "#f26f5a", "#f58b3c", "#f0b050", "#e6d15a"],
    ink: "#e8eaed", light: "#f0e442", back: "#14171b",
  },
};

// now has the colours in use.
export const now = { ...schemes.light };

// watch calls changed now, and whenever the browser changes its scheme.
export function watch(changed) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const use = () => {
    Object.assign(now, schemes[query.matches ? "dark" : "light"]);
    changed();
  };
  query.addEventListener("change", use);
  use();
}
