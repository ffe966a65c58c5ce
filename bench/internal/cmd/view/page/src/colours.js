// The colours of the pictures of bench picture. States are those of package demo.
export const states = ["#c3c8d0", "#0072b2", "#009e73", "#c2188b", "#e9a23b", "#d55e00"];
export const depths = ["#2d0b59", "#a52c60", "#d55e00", "#e9a23b", "#c9b400", "#56b4e9", "#0072b2", "#777777"];
export const curve = ["#2d0b59", "#5b1a6b", "#8a2267", "#b63655", "#d55e00", "#e38119", "#e9a23b", "#d9b92a"];
export const ink = "#222222";
export const light = "#f0e442";
