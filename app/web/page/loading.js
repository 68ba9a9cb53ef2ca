// What window and workers both need to begin: packed files, unpacked as they come in, and a file system filled with them.
'use strict';

// A stream of the bytes of NAME, which lies here as NAME.gz. `told(share)` hears how much of it has come.
async function streamPacked(name, told) {
  const answer = await fetch(name + '.gz');
  if (!answer.ok) throw new Error(name + ': ' + answer.status);
  const whole = Number(answer.headers.get('Content-Length')) || 0;
  let come = 0;
  const counted = answer.body.pipeThrough(new TransformStream({
    transform(chunk, out) {
      come += chunk.length;
      if (told && whole) told(Math.min(1, come / whole));
      out.enqueue(chunk);
    }
  }));
  // A server that says "Content-Encoding: gzip" has had the browser unpack it already.
  const packed = answer.headers.get('Content-Encoding') !== 'gzip';
  return packed ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
}

async function fetchPacked(name, told) {
  return new Uint8Array(await new Response(await streamPacked(name, told)).arrayBuffer());
}

// A module, compiled while it comes.
async function fetchModule(name, told) {
  const bytes = await streamPacked(name, told);
  return WebAssembly.compileStreaming(new Response(bytes, {headers: {'Content-Type': 'application/wasm'}}));
}

// What makes a module of Emscripten's from one that is compiled.
const instantiateFrom = module => (imports, done) => {
  WebAssembly.instantiate(module, imports).then(instance => done(instance, module));
  return {};
};

// A pack: four bytes that say how long its list is, the list [[path, bytes], ...] as JSON, and the files one after the other.
function unpack(pack, FS) {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0, true);
  const list = JSON.parse(new TextDecoder().decode(pack.subarray(4, 4 + length)));
  const made = new Set();
  let at = 4 + length;
  for (const [path, bytes] of list) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (!made.has(folder)) FS.mkdirTree(folder), made.add(folder);
    FS.writeFile(path, pack.subarray(at, at + bytes));
    at += bytes;
  }
}

// Calls f(address of the text) in the module's memory.
function withText(module, text, f) {
  const bytes = module.lengthBytesUTF8(text) + 1, at = module._malloc(bytes);
  module.stringToUTF8(text, at, bytes);
  try {
    return f(at);
  } finally {
    module._free(at);
  }
}

if (typeof module !== 'undefined') module.exports = {unpack, withText};
