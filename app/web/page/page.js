// The page around the window's module: it loads it, hands it what comes in, and does what only a page can do (address, clipboard,
// files, workers). It draws nothing.
'use strict';

const kLeastWidth = 1024;             // below it there is no room for a lab
const kKept = 'lockstep:';            // what is kept between visits, by the path of its file
const kHome = '/home/web_user/';

const by = id => document.getElementById(id);
const canvas = by('lockstep'), typing = by('typing');
document.documentElement.lang = (navigator.language || 'en').startsWith('zh') ? 'zh' : 'en';

let app = null;                       // the window's module, once it is open

function fault(text) {
  by('waiting').hidden = false, by('progress').hidden = true;
  by('fault').hidden = false, by('fault').textContent = text;
}

// --- what is kept between visits

const toText = bytes => { let s = ''; for (const b of bytes) s += String.fromCharCode(b); return btoa(s); };
const toBytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

function recall(FS) {
  FS.mkdirTree(kHome.slice(0, -1));
  for (let i = 0; i < localStorage.length; ++i) {
    const key = localStorage.key(i);
    if (!key.startsWith(kKept + kHome)) continue;
    const path = key.slice(kKept.length);
    try {
      const bytes = toBytes(localStorage.getItem(key));
      FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      FS.writeFile(path, bytes);
    } catch (damaged) {
      localStorage.removeItem(key);
    }
  }
}

// A file that the program has written: its own are kept, those that the reader saves are theirs to have.
function written(path, bytes) {
  if (!path.startsWith(kHome)) return void save(path.slice(path.lastIndexOf('/') + 1), bytes);
  try {
    localStorage.setItem(kKept + path, toText(bytes));
  } catch (full) {
    console.warn('not kept: ' + full.message);
  }
}

// Files that the program has removed are forgotten.
function forgetRemoved() {
  for (let i = localStorage.length - 1; i >= 0; --i) {
    const key = localStorage.key(i);
    if (key.startsWith(kKept + kHome) && !app.FS.analyzePath(key.slice(kKept.length)).exists) localStorage.removeItem(key);
  }
}

function download(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob), link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A PNG comes as an SVG of its size: the browser makes the pixels.
function save(name, bytes) {
  const isSvg = bytes[0] === 60;      // '<'
  if (!name.endsWith('.png') || !isSvg) return download(name, new Blob([bytes], {type: name.endsWith('.svg') ? 'image/svg+xml' : 'application/octet-stream'}));
  const image = new Image(), address = URL.createObjectURL(new Blob([bytes], {type: 'image/svg+xml'}));
  image.onload = () => {
    const paper = document.createElement('canvas');
    paper.width = image.naturalWidth, paper.height = image.naturalHeight;
    paper.getContext('2d').drawImage(image, 0, 0);
    URL.revokeObjectURL(address);
    paper.toBlob(blob => download(name, blob), 'image/png');
  };
  image.src = address;
}

// --- workers: 0 runs what the reader asks for, 1 what nobody waits for

const workers = [null, null];
let workerParts = null;               // a promise: the compiled module, the recordings' manifests
let windowCame = null;                // its bytes come first
const windowHere = new Promise(done => { windowCame = done; });

async function loadWorkerParts() {
  await windowHere;
  return workerParts ||= Promise.all([fetchModule('lockstep-worker.wasm'), recordingsPack]);
}

function beginWorker(lane) {
  const worker = new Worker('worker.js');
  worker.onmessage = event => {
    if (workers[lane] !== worker) return;
    const {line, bytes, ended} = event.data;
    if (ended) return workerEnded(lane, worker, ended);
    withText(app, line, at => {
      if (!bytes) return app._lockstep_answer(at, 0, 0);
      const run = app._malloc(bytes.length);
      app.HEAPU8.set(bytes, run);
      app._lockstep_answer(at, run, bytes.length);
      app._free(run);
    });
    bytes ? turnNow() : wake();
  };
  worker.onerror = event => workerEnded(lane, worker, event.message || 'the worker stopped');
  loadWorkerParts().then(([module, recordings]) => worker.postMessage({module, recordings}),
                         why => workerEnded(lane, worker, why.message));
  return workers[lane] = worker;
}

function workerEnded(lane, worker, why) {
  worker.terminate();
  if (workers[lane] !== worker) return;
  workers[lane] = null;
  if (!app) return fault(why);        // before there is a window to tell it
  withText(app, why, at => app._lockstep_worker_ended(lane, at));
  wake();
}

const order = (lane, line) => (workers[lane] || beginWorker(lane)).postMessage({order: line});
function endWorker(lane) {
  if (workers[lane]) workers[lane].terminate();
  workers[lane] = null;
  if (lane === 0) beginWorker(0);     // the next run does not wait for it
}

// --- what is drawn with

// Answers for the state that is set by these calls alone: what was set last, without asking the browser, who would first wait for
// all that is being drawn.
function rememberState(gl) {
  const known = new Map();
  const noted = (name, note) => {
    const call = gl[name].bind(gl);
    gl[name] = (...values) => { note(...values), call(...values); };
  };
  noted('viewport', (...box) => known.set(gl.VIEWPORT, new Int32Array(box)));
  noted('scissor', (...box) => known.set(gl.SCISSOR_BOX, new Int32Array(box)));
  const factors = (rgbFrom, rgbTo, alphaFrom, alphaTo) => {
    known.set(gl.BLEND_SRC_RGB, rgbFrom), known.set(gl.BLEND_DST_RGB, rgbTo);
    known.set(gl.BLEND_SRC_ALPHA, alphaFrom), known.set(gl.BLEND_DST_ALPHA, alphaTo);
  };
  noted('blendFunc', (from, to) => factors(from, to, from, to));
  noted('blendFuncSeparate', factors);
  const equations = (rgb, alpha) => { known.set(gl.BLEND_EQUATION_RGB, rgb), known.set(gl.BLEND_EQUATION_ALPHA, alpha); };
  noted('blendEquation', both => equations(both, both));
  noted('blendEquationSeparate', equations);
  const ask = gl.getParameter.bind(gl);
  const kNoted = [gl.VIEWPORT, gl.SCISSOR_BOX, gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_ALPHA,
                  gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA];
  for (const name of kNoted) known.set(name, ask(name));
  gl.getParameter = name => known.has(name) ? known.get(name) : ask(name);
}

// --- turns of the window

let scheduled = 0, sleeping = 0, before = performance.now(), size = '';
const frames = {drawn: 0, last: 0};

function wake() {
  if (scheduled || !app) return;
  clearTimeout(sleeping);
  scheduled = requestAnimationFrame(turn);
}

// For a run that has come: where software makes the pixels, the browser's next frame is long in coming.
function turnNow() {
  cancelAnimationFrame(scheduled), clearTimeout(sleeping);
  turn(performance.now());
}

function fit() {
  const scale = window.devicePixelRatio || 1, width = window.innerWidth, height = window.innerHeight;
  const now = [width, height, scale].join();
  if (now === size) return;
  size = now;
  canvas.width = Math.round(width * scale), canvas.height = Math.round(height * scale);
  app._lockstep_resize(width, height, canvas.width, canvas.height, scale);
}

function turn(time) {
  scheduled = 0;
  fit();
  const rest = app._lockstep_turn(Math.max(0, time - before) / 1000);
  before = time, ++frames.drawn, frames.last = performance.now() - time;
  if (frames.drawn === 1) requestAnimationFrame(now => { document.documentElement.dataset.firstPictureMs = String(Math.round(now)); });
  followField();
  if (rest === 0) wake();
  else sleeping = setTimeout(wake, rest);
}

// --- what comes in

const at = event => app._lockstep_pointer(event.clientX, event.clientY);
const buttonOf = event => event.button === 2 ? 1 : event.button === 1 ? 2 : 0;

function listenToMouse() {
  canvas.addEventListener('pointermove', event => { if (event.pointerType === 'mouse') at(event), wake(); });
  canvas.addEventListener('pointerdown', event => {
    if (event.pointerType !== 'mouse') return;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({preventScroll: true});
    at(event), app._lockstep_button(buttonOf(event), 1), wake();
    event.preventDefault();
  });
  canvas.addEventListener('pointerup', event => {
    if (event.pointerType === 'mouse') at(event), app._lockstep_button(buttonOf(event), 0), wake();
  });
  canvas.addEventListener('wheel', event => {
    const lines = event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100;
    app._lockstep_wheel(-event.deltaY / lines), wake();
    event.preventDefault();
  }, {passive: false});
  canvas.addEventListener('contextmenu', event => event.preventDefault());
}

// Touch. A tap clicks, a long one is the right button. One finger that sets out sideways drags, one that sets out up or down
// scrolls; two pinch.
const touch = {points: new Map(), mode: '', from: null, timer: 0, spread: 0};
const kSetOut = 8, kLongMs = 550, kNotchPx = 60;

function click(button) {
  app._lockstep_button(button, 1), app._lockstep_button(button, 0), wake();
}
const spreadOf = points => {
  const [a, b] = [...points.values()];
  return Math.hypot(a.x - b.x, a.y - b.y);
};

function touchDown(event) {
  canvas.setPointerCapture(event.pointerId);
  touch.points.set(event.pointerId, {x: event.clientX, y: event.clientY});
  clearTimeout(touch.timer);
  if (touch.points.size === 2) {
    if (touch.mode === 'drag') app._lockstep_button(0, 0);
    touch.mode = 'pinch', touch.spread = spreadOf(touch.points);
    const [a, b] = [...touch.points.values()];
    app._lockstep_pointer((a.x + b.x) / 2, (a.y + b.y) / 2);
  } else if (touch.points.size === 1) {
    touch.mode = 'tap', touch.from = {x: event.clientX, y: event.clientY};
    at(event);
    touch.timer = setTimeout(() => { if (touch.mode === 'tap') touch.mode = 'done', click(1); }, kLongMs);
  }
  wake();
  event.preventDefault();
}

function touchMove(event) {
  const point = touch.points.get(event.pointerId);
  if (!point) return;
  const dy = event.clientY - point.y;
  point.x = event.clientX, point.y = event.clientY;
  if (touch.mode === 'pinch' && touch.points.size === 2) {
    const spread = spreadOf(touch.points), notches = Math.log(spread / touch.spread) / Math.log(1.1);
    if (Math.abs(notches) >= 1) app._lockstep_wheel(Math.sign(notches)), touch.spread = spread;
  } else if (touch.mode === 'tap') {
    const x = event.clientX - touch.from.x, y = event.clientY - touch.from.y;
    if (Math.hypot(x, y) < kSetOut) return;
    clearTimeout(touch.timer);
    touch.mode = Math.abs(x) >= Math.abs(y) ? 'drag' : 'scroll';
    if (touch.mode === 'drag') app._lockstep_pointer(touch.from.x, touch.from.y), app._lockstep_button(0, 1), at(event);
  } else if (touch.mode === 'drag') {
    at(event);
  } else if (touch.mode === 'scroll') {
    app._lockstep_wheel(dy / kNotchPx);
  }
  wake();
}

function touchUp(event) {
  if (!touch.points.delete(event.pointerId)) return;
  clearTimeout(touch.timer);
  if (touch.mode === 'tap') at(event), click(0);
  if (touch.mode === 'drag') at(event), app._lockstep_button(0, 0);
  touch.mode = touch.points.size ? 'done' : '';
  wake();
}

function listenToTouch() {
  const touched = f => event => { if (event.pointerType !== 'mouse') f(event); };
  canvas.addEventListener('pointerdown', touched(touchDown));
  canvas.addEventListener('pointermove', touched(touchMove));
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, touched(touchUp));
}

// Keys. Text comes as the keyboard's layout has it; while a field is open it comes through an input of the page, so that input
// methods and a tablet's keyboard work. Ctrl+V comes as the browser's own event, with what is on the clipboard.
const kBrowsersOwn = 'RTWNLJDPU';
function listenToKeys() {
  window.addEventListener('keydown', event => {
    app._lockstep_shift(event.shiftKey ? 1 : 0);
    if (event.isComposing || (event.altKey && !event.getModifierState('AltGraph'))) return;
    const ctrl = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph'), letter = event.key.toUpperCase();
    if (ctrl && (letter === 'V' || kBrowsersOwn.includes(letter))) return;
    if (ctrl && letter === 'O') return event.preventDefault(), by('file').click();
    const isText = [...event.key].length === 1;
    if (isText && !ctrl && event.key !== ' ') {
      if (document.activeElement === typing) return;         // its input event brings it
      app._lockstep_text(event.key.codePointAt(0));
    } else if (isText && event.key === ' ' && app._lockstep_takes_text()) {
      if (document.activeElement === typing) return;
      app._lockstep_text(32);
    } else if (!withText(app, event.key, key => app._lockstep_key(key, ctrl ? 1 : 0, event.shiftKey ? 1 : 0))) {
      return;
    }
    event.preventDefault(), wake();
  });
  window.addEventListener('keyup', event => { app._lockstep_shift(event.shiftKey ? 1 : 0), wake(); });
  window.addEventListener('paste', event => {
    const text = event.clipboardData.getData('text/plain');
    if (text) withText(app, text, p => app._lockstep_paste(p)), wake();
    event.preventDefault();
  });
  const typed = event => {
    if (event.isComposing) return;
    for (const character of typing.value) app._lockstep_text(character.codePointAt(0));
    typing.value = '', wake();
  };
  typing.addEventListener('input', typed);
  typing.addEventListener('compositionend', typed);
}

function followField() {
  const wanted = app._lockstep_takes_text() !== 0, has = document.activeElement === typing;
  if (wanted && !has) typing.focus({preventScroll: true});
  if (!wanted && has) canvas.focus({preventScroll: true});
}

async function openFile(file) {
  app.FS.mkdirTree('/opened');
  const path = '/opened/' + file.name.replace(/[\/\\]/g, '_');
  app.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
  withText(app, path, p => app._lockstep_drop(p)), wake();
}

function listenToFiles() {
  window.addEventListener('dragover', event => event.preventDefault());
  window.addEventListener('drop', event => {
    event.preventDefault();
    if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
  });
  by('file').addEventListener('change', event => {
    if (event.target.files.length) openFile(event.target.files[0]);
    event.target.value = '';
  });
}

// --- the address, which says what is on screen

let place = '';
function moved(link) {
  const nextPlace = link.split('?')[0], inHistory = place && nextPlace !== place;
  place = nextPlace;
  history[inHistory ? 'pushState' : 'replaceState'](null, '', '#' + link);
}

function listenToAddress() {
  window.addEventListener('hashchange', () => {
    const link = location.hash.slice(1);
    place = link.split('?')[0];
    withText(app, link, p => app._lockstep_go_to(p)), wake();
  });
}

// What is on the stage, for a screen reader, when it has stood for a moment.
let spoken = 0;
function speak() {
  clearTimeout(spoken);
  spoken = setTimeout(() => {
    const sentence = app.UTF8ToString(app._lockstep_sentence());
    if (by('spoken').textContent !== sentence) by('spoken').textContent = sentence;
  }, 700);
}

// --- start

function look() {
  const narrow = Math.max(window.innerWidth, 0) < kLeastWidth;
  by('narrow').hidden = !narrow;
  return !narrow;
}

let recordingsPack = null;
async function start() {
  recordingsPack = fetchPacked('recordings.pack');
  beginWorker(0);                      // its script loads and waits for the rest
  const share = {wasm: 0, base: 0};
  const told = part => now => { share[part] = now, by('progress').value = share.wasm * 0.5 + share.base * 0.5; };
  const parts = Promise.all([
    fetchModule('lockstep-window.wasm', told('wasm')), fetchPacked('base.pack', told('base')), recordingsPack]);
  // The one that the window will draw with: a browser takes a third of a second to prepare it.
  canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true});
  const [compiled, base, recordings] = await parts;
  windowCame();                        // and the worker gets ready beside the window
  const module = await LockstepWindow({
    instantiateWasm: instantiateFrom(compiled), order, endWorker, written, rememberState,
    setTitle: title => { document.title = title, speak(); },
    copy: text => navigator.clipboard && navigator.clipboard.writeText(text).catch(() => {}),
    show: file => window.open('../' + file, '_blank', 'noopener'),
    askClipboard: () => {},
    moved,
    print: text => console.log(text), printErr: text => console.warn(text)
  });
  app = module;
  unpack(base, module.FS), unpack(recordings, module.FS);
  recall(module.FS);
  const dark = matchMedia('(prefers-color-scheme: dark)').matches ? 1 : 0;
  const address = location.href.split('#')[0], link = location.hash.slice(1);
  const opened = withText(module, address, a => withText(module, link, l => withText(module, document.documentElement.lang,
      lang => module._lockstep_open(a, l, lang, dark))));
  if (opened !== 0) throw new Error('this browser has no WebGL 2');
  listenToMouse(), listenToTouch(), listenToKeys(), listenToFiles(), listenToAddress();
  window.addEventListener('resize', () => { if (look()) wake(); });
  for (const end of ['pagehide', 'visibilitychange']) document.addEventListener(end, () => { app._lockstep_keep(), forgetRemoved(); });
  canvas.focus({preventScroll: true});
  by('waiting').hidden = true;
  wake();
  setTimeout(keepForOffline, kOfflineAfterMs);
}

// What the page needs is fetched once more, for when there is no network: not while the reader waits for it.
const kOfflineAfterMs = 2500;
function keepForOffline() {
  if ('serviceWorker' in navigator) navigator.serviceWorker.register('offline.js').catch(() => {});
}

if (location.protocol === 'file:')
  fault('A browser opens no program from a file. Serve this folder: python3 -m http.server');
else if (look())
  start().catch(why => fault(String(why && why.message || why)));
else
  window.addEventListener('resize', function first() {
    if (!look() || app) return;
    window.removeEventListener('resize', first);
    start().catch(why => fault(String(why && why.message || why)));
  });
