// A headless Chromium, driven by its own protocol; and a server of files on this machine. What tests of the page ask for.
'use strict';
const fs = require('fs'), http = require('http'), os = require('os'), path = require('path');
const {spawn} = require('child_process');

const Socket = globalThis.WebSocket || require('ws');    // node's own from 22 on

const kTypes = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json'};

// Serves FOLDER; `asked` lists the paths that were asked for.
function serve(folder) {
  const asked = [];
  const server = http.createServer((request, answer) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    asked.push(name);
    const file = path.join(folder, name.endsWith('/') ? name + 'index.html' : name);
    if (!file.startsWith(folder) || !fs.existsSync(file)) return answer.writeHead(404).end();
    const bytes = fs.readFileSync(file);
    answer.writeHead(200, {'Content-Type': kTypes[path.extname(file)] || 'application/octet-stream', 'Content-Length': bytes.length}).end(bytes);
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done({
    address: `http://127.0.0.1:${server.address().port}`, asked,
    stop: () => new Promise(closed => { server.closeAllConnections(), server.close(closed); })
  })));
}

const wait = ms => new Promise(done => setTimeout(done, ms));

async function openBrowser() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lockstep-browser-'));
  const program = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--hide-scrollbars', '--remote-debugging-port=0', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', `--user-data-dir=${profile}`, 'about:blank'], {stdio: ['ignore', 'ignore', 'pipe']});
  const address = await new Promise((found, failed) => {
    let text = '';
    program.stderr.on('data', chunk => {
      text += chunk;
      const told = /DevTools listening on (ws:\S+)/.exec(text);
      if (told) found(told[1]);
    });
    program.on('exit', code => failed(new Error('chromium ended with ' + code + ': ' + text.slice(-500))));
  });
  const socket = new Socket(address);
  await new Promise(done => { socket.onopen = done; });
  let last = 0;
  const waiting = new Map(), listeners = [];
  socket.onmessage = event => {
    const message = JSON.parse(event.data);
    if (message.id) {
      const {done, failed} = waiting.get(message.id);
      waiting.delete(message.id);
      return message.error ? failed(new Error(message.error.message)) : done(message.result);
    }
    for (const listener of listeners) listener(message);
  };
  const send = (method, params = {}, sessionId) => new Promise((done, failed) => {
    waiting.set(++last, {done, failed});
    socket.send(JSON.stringify({id: last, method, params, sessionId}));
  });
  const close = async () => {
    await send('Browser.close').catch(() => {});
    await new Promise(done => program.exitCode === null ? program.on('exit', done) : done());
    fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  };
  return {openPage: (size, options) => openPage(send, listeners, size, options), close};
}

// A page of this size; `touch` makes it a tablet's.
async function openPage(send, listeners, {width, height, scale = 1}, {touch = false, dark = false} = {}) {
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
  const tell = (method, params) => send(method, params, sessionId);
  const requests = [], faults = [];
  let loaded = () => {};
  listeners.push(message => {
    if (message.sessionId !== sessionId) return;
    if (message.method === 'Network.requestWillBeSent') requests.push(message.params.request.url);
    if (message.method === 'Runtime.exceptionThrown') faults.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
    if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') faults.push(message.params.entry.text + ' ' + (message.params.entry.url || ''));
    if (message.method === 'Page.loadEventFired') loaded();
  });
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await tell(domain + '.enable');
  await tell('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile: touch});
  await tell('Emulation.setTouchEmulationEnabled', {enabled: touch, maxTouchPoints: 5});
  await tell('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
  const evaluate = async (code, options = {}) => {
    const {result, exceptionDetails} = await tell('Runtime.evaluate', {expression: code, awaitPromise: true, returnByValue: true, ...options});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  };
  const page = {
    requests, faults, tell, evaluate,
    async goTo(address) {
      const done = new Promise(resolve => { loaded = resolve; });
      await tell('Page.navigate', {url: address});
      await done;
    },
    // Asks until `code` is true; fails with what it was asked for.
    async until(code, what, limitMs = 60000) {
      for (const end = Date.now() + limitMs; Date.now() < end; await wait(40)) if (await evaluate(code)) return;
      throw new Error(`${what} did not come within ${limitMs / 1000} s; faults: ${faults.join('; ')}`);
    },
    open: () => page.until('app !== null && document.getElementById("waiting").hidden', 'the window'),
    async key(key, {ctrl = false, shift = false} = {}) {
      const text = key.length === 1 && !ctrl ? key : '';
      const event = {key, modifiers: (ctrl ? 2 : 0) | (shift ? 8 : 0), text, windowsVirtualKeyCode: /^[a-z0-9]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0};
      await tell('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', ...event});
      await tell('Input.dispatchKeyEvent', {type: 'keyUp', ...event});
      await wait(60);
    },
    async click(x, y) {
      await tell('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y});
      for (const type of ['mousePressed', 'mouseReleased']) await tell('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
      await wait(120);
    },
    // Fingers along these points, one list for each moment.
    async touch(...moments) {
      await tell('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: moments[0]});
      for (const touchPoints of moments.slice(1)) await wait(16), await tell('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints});
      await tell('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
      await wait(150);
    },
    async screenshot(file) {
      fs.writeFileSync(file, Buffer.from((await tell('Page.captureScreenshot', {format: 'png'})).data, 'base64'));
    },
    close: () => send('Target.closeTarget', {targetId})
  };
  return page;
}

module.exports = {serve, openBrowser, wait};
