// A worker of the page: orders come in as text, answers go out as text, a run with its bytes.
'use strict';
importScripts('loading.js', 'lockstep-worker.js');

// Recordings of which the manifest alone is here are fetched when one is wanted whole: by a request that waits, which only a
// worker may do.
const kPatienceMs = [10e3, 30e3, 120e3];    // a request that a browser has lost is made once more
function bytesOf(address) {
  for (const timeout of kPatienceMs) {
    const request = new XMLHttpRequest();
    request.open('GET', address, false);
    request.responseType = 'arraybuffer', request.timeout = timeout;
    try {
      request.send();
    } catch (fault) {
      if (fault.name === 'TimeoutError') continue;
      return null;
    }
    return request.status === 200 ? new Uint8Array(request.response) : null;
  }
  return null;
}

function bringFrom(whole) {
  return path => {
    if (!path.startsWith('/recordings/') || whole.has(path)) return undefined;
    const bytes = bytesOf(path.slice(1));
    if (bytes) whole.add(path);
    return bytes;
  };
}

async function start({module, recordings}) {
  const worker = await LockstepWorker({
    instantiateWasm: instantiateFrom(module),
    tell: line => postMessage({line}),
    handOver: (line, bytes) => postMessage({line, bytes}, [bytes.buffer]),
    print: text => console.log(text),
    printErr: text => console.warn(text)
  });
  unpack(recordings, worker.FS);
  worker.bring = bringFrom(new Set());
  return worker;
}

// Orders may come before the parts that they need.
let begin = null;
const started = new Promise(done => { begin = done; }).then(start);
onmessage = async event => {
  if (event.data.module) return begin(event.data);
  try {
    const worker = await started;
    withText(worker, event.data.order, at => worker._lockstep_serve(at));
  } catch (fault) {
    postMessage({ended: String(fault && fault.message || fault)});
  }
};
