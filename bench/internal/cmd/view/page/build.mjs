// Makes dist of src and of the three.js that package-lock.json names:
//
//	npm ci --ignore-scripts && npm run build
import * as esbuild from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
const common = { bundle: true, format: "esm", target: "es2022", charset: "utf8", logLevel: "warning" };
await esbuild.build({ ...common, entryPoints: ["src/three.js"], outfile: "dist/three.js", minify: true, legalComments: "inline" });
await esbuild.build({ ...common, entryPoints: ["src/main.js"], outfile: "dist/view.js", minify: true, external: ["./three.js"] });
await copyFile("src/index.html", "dist/index.html");
await copyFile("src/style.css", "dist/style.css");
await copyFile("src/icon.svg", "dist/icon.svg");
await copyFile("node_modules/three/LICENSE", "dist/three.LICENSE.txt");
