// Both modules of the page under node, with the files that the page would hand them.
'use strict';
const fs = require('fs'), path = require('path'), zlib = require('zlib');
const {unpack, withText} = require('../../app/web/page/loading.js');

const packed = (site, name) => new Uint8Array(zlib.gunzipSync(fs.readFileSync(path.join(site, name + '.gz'))));

async function openWorker(build) {
  const site = path.join(build, 'site/app');
  let answer = null;
  const module = await require(path.join(site, 'lockstep-worker.js'))({
    wasmBinary: packed(site, 'lockstep-worker.wasm'), noExitRuntime: true,
    tell: line => { answer = {line: JSON.parse(line)}; },
    handOver: (line, bytes) => { answer = {line: JSON.parse(line), bytes}; }
  });
  unpack(packed(site, 'recordings.pack'), module.FS);
  const whole = new Set();
  module.bring = file => {
    if (!file.startsWith('/recordings/') || whole.has(file)) return undefined;
    whole.add(file);
    return new Uint8Array(fs.readFileSync(path.join(site, file.slice(1))));
  };
  let id = 0;
  // The run file that answers a request, given as JSON text: 4.0 is no 4 there. An error is thrown with its text.
  return request => {
    answer = null;
    const order = `{"id":${++id},"block":"","memory_limit_bytes":0,"threads":1,"request":${request}}`;
    withText(module, order, at => module._lockstep_serve(at));
    if (!answer || !answer.bytes) throw new Error(answer ? JSON.stringify(answer.line) : 'no answer');
    return answer.bytes;
  };
}

async function openWindow(build) {
  const site = path.join(build, 'site/app');
  const module = await require(path.join(site, 'lockstep-window.js'))({wasmBinary: packed(site, 'lockstep-window.wasm')});
  unpack(packed(site, 'base.pack'), module.FS), unpack(packed(site, 'recordings.pack'), module.FS);
  // The SVG that `lockstep shot --run FILE` draws.
  return (bytes, name, {width = 1600, height = 900, dark = false, chinese = false, figure = false} = {}) => {
    module.FS.writeFile(name, bytes);
    const text = withText(module, name, at => module.UTF8ToString(module._lockstep_picture(at, width, height, dark ? 1 : 0, chinese ? 1 : 0, figure ? 1 : 0)));
    module.FS.unlink(name);
    return text;
  };
}

module.exports = {openWorker, openWindow};
