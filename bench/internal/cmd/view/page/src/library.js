// The library, as the global object that the wasm program makes.

// start loads it. The file is compressed, and some servers decompress it.
export async function start() {
  const response = await fetch("zoctree.wasm.gz");
  if (!response.ok) throw new Error(`zoctree.wasm.gz: the server says ${response.status} ${response.statusText}`);
  let data = await response.arrayBuffer();
  const head = new Uint8Array(data, 0, 2);
  if (head[0] === 0x1f && head[1] === 0x8b) {
    data = await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(data, go.importObject);
  go.run(instance).then(() => console.error("the library has ended"));
}

// list returns the names of the files of the server; a server of plain files has none.
export async function list() {
  const response = await fetch("data.json");
  return response.ok ? response.json() : [];
}

// data returns a file of the server.
export async function data(name) {
  const response = await fetch("data/" + encodeURIComponent(name));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

// reply reads an answer, which may be an error.
function reply(text) {
  const answer = JSON.parse(text);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

const floats = (bytes) => new Float32Array(bytes.buffer);

export const make = (scene, n, seed) => reply(zoctree.make(scene, n, seed));
export const open = (name, bytes) => reply(zoctree.open(name, bytes));
export const ask = (question) => reply(zoctree.ask(JSON.stringify(question)));
export const code = (mode) => zoctree.code(mode);
export const states = () => zoctree.states();
export const boxes = () => floats(zoctree.boxes());
export const ranks = () => floats(zoctree.ranks());
export const order = () => new Uint32Array(zoctree.order().buffer);
export const outlines = (cells) => (cells ? zoctree.cells() : zoctree.tight()).map(floats);
