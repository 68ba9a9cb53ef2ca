// The page in a browser: opened from a server on this machine, driven by keys, pointer and fingers.
//
// usage: node tests/web/page.js BUILD_WEB [LOCKSTEP]
'use strict';
const assert = require('assert'), path = require('path');
const {execFileSync} = require('child_process');
const {serve, openBrowser, wait} = require('./browser.js');

const site = path.join(path.resolve(process.argv[2]), 'site'), lockstep = process.argv[3];
const kSize = {width: 1600, height: 900};
const fault = 'app.UTF8ToString(app._lockstep_fault())', sentence = 'app.UTF8ToString(app._lockstep_sentence())';
const hash = 'decodeURIComponent(location.hash)';
const ready = 'app._lockstep_busy() === 0';

async function opened(browser, server, link, size = kSize, options = {}) {
  const page = await browser.openPage(size, options);
  await page.goTo(server.address + '/app/index.html#' + link);
  await page.open();
  await page.until(ready, link);
  return page;
}

// By Tab alone to the field of an answer, and into it.
async function reachField(page) {
  const seen = [''], now = 'app.UTF8ToString(app._lockstep_focus())';
  while (seen.length < 80 && !/answer/.test(seen.at(-1))) {
    await page.key('Tab');
    await page.until(`${now} !== ${JSON.stringify(seen.at(-1))}`, 'the control after ' + seen.at(-1), 5000);
    seen.push(await page.evaluate(now));
  }
  await page.key('Enter');
  await page.until('app._lockstep_takes_text() === 1', 'a field among ' + seen.join(' '), 3000);
}

const tests = {
  async 'every lab and rung is drawn'(browser, server) {
    const page = await opened(browser, server, 'home');
    const {labs} = JSON.parse(execFileSync(lockstep, ['list', '--json'], {encoding: 'utf8', maxBuffer: 1 << 26}));
    for (const lab of labs)
      for (const {slug} of lab.rungs) {
        await page.evaluate(`location.hash = '#${lab.slug}/${slug}'`);
        await page.until(`document.title.startsWith('Lockstep') && ${hash}.startsWith('#${lab.slug}/${slug}?') && ${ready}`, `${lab.slug}/${slug}`);
        assert.equal(await page.evaluate(fault), '', `${lab.slug}/${slug}`);
        assert.notEqual(await page.evaluate(sentence), '', `${lab.slug}/${slug} says nothing`);
      }
    assert.deepEqual(page.faults, []);
    await page.close();
  },

  async 'a link opens the very moment, and the address follows the steps'(browser, server) {
    const page = await opened(browser, server, 'transpose/naive?n=128&at=write%20out,%20warp%204&theme=dark');
    assert.match(await page.evaluate(hash), /at=write out, warp 4/);
    assert.match(await page.evaluate('document.title'), /naive · step 37 of 64/);
    await page.key('ArrowRight');
    await page.until(`document.title.includes('step 38 of 64')`, 'the next step');
    assert.doesNotMatch(await page.evaluate(hash), /warp 4&/);
    await page.key('3');
    await page.until(`${hash}.startsWith('#transpose/tiled') && ${ready}`, 'the third rung');
    await page.close();
  },

  async 'a wrong link says what is wrong with it'(browser, server) {
    const page = await opened(browser, server, 'home');
    await page.evaluate(`location.hash = '#transpose/naive?n=x'`);
    await page.until(`${fault} !== ''`, 'a banner');
    assert.match(await page.evaluate(fault), /n/);
    await page.evaluate(`location.hash = '#nothing/here'`);
    await page.until(`${fault}.includes('nothing')`, 'another banner');
    await page.close();
  },

  async 'a story asks, is answered by keys, and its answer is kept'(browser, server) {
    const page = await opened(browser, server, 'transpose/naive?n=128&at=write%20out,%20warp%204&story=2');
    assert.match(await page.evaluate(sentence), /32 lanes of warp 4/);
    const before = await page.evaluate('JSON.stringify(localStorage)');
    await reachField(page);
    for (const key of ['3', '2']) await page.key(key);
    await wait(500);
    await page.key('Enter');
    await page.until(`Object.values(localStorage).some(text => atob(text).includes('+32'))`, 'the kept answer');
    assert.notEqual(await page.evaluate('JSON.stringify(localStorage)'), before);
    await page.close();
    const again = await opened(browser, server, '');    // where the reader was
    await again.close();
  },

  async 'an exercise keeps what is typed'(browser, server) {
    const page = await opened(browser, server, 'exercises/mfu/1');
    await reachField(page);
    for (const key of ['1', '3', '7']) await page.key(key);
    await page.until(`Object.entries(localStorage).some(([name, text]) => name.includes('answers') && atob(text).includes('137'))`, 'the kept text');
    await page.close();
  },

  async 'fingers step, scroll and choose'(browser, server) {
    const page = await opened(browser, server, 'transpose/naive?n=128', {width: 1366, height: 1024}, {touch: true});
    const place = () => page.evaluate('document.title');
    const before = await place();
    const slide = (x, y) => [{x, y}];
    await page.touch(slide(420, 970), slide(520, 970), slide(640, 970), slide(760, 970));    // along the steps
    await page.until(`document.title !== ${JSON.stringify(before)}`, 'another step');
    await page.touch([{x: 1000, y: 700}], [{x: 1000, y: 640}], [{x: 1000, y: 560}]);        // over the code
    await page.touch([{x: 500, y: 500}, {x: 600, y: 500}], [{x: 460, y: 500}, {x: 640, y: 500}], [{x: 400, y: 500}, {x: 700, y: 500}]);
    await page.touch(slide(720, 110));                                                        // a tap on the ladder
    await page.until(`!${hash}.startsWith('#transpose/naive')`, 'another rung');
    assert.deepEqual(page.faults, []);
    await page.close();
  },

  async 'files are opened by dropping, and a damaged one is refused'(browser, server) {
    const page = await opened(browser, server, 'home');
    await page.evaluate(`openFile(new File(['{"schema":1,"lab":"banks","rung":"column"}'], 'scene.json'))`);
    await page.until(`${hash}.startsWith('#banks/column') && ${ready}`, 'the scene');
    await page.evaluate(`openFile(new File(['PK no archive'], 'run.npz'))`);
    await page.until(`${fault}.includes('run.npz')`, 'the refusal');
    await page.evaluate(`openFile(new File(['int main() {}'], 'my.cu'))`);
    await page.until(`${fault}.includes('lockstep my.cu')`, 'the command that opens a program');
    await page.close();
  },

  async 'figures come as downloads'(browser, server) {
    const page = await opened(browser, server, 'banks/column');
    await page.evaluate(`window.saved = {}, window.download = (name, blob) => { saved[name] = blob; }`);
    for (const ending of ['svg', 'png']) {
      await page.key('e', {ctrl: true});
      await page.key('Enter');
      for (const letter of 'lanes.' + ending) await page.key(letter);     // over the name that is offered
      await page.key('Enter');
      await page.until(`Object.keys(saved).some(name => name === 'lanes.${ending}')`, 'the ' + ending);
    }
    const first = await page.evaluate(`(async () => { const svg = Object.entries(saved).find(([name]) => name.endsWith('.svg'))[1]; return (await svg.text()).slice(0, 200); })()`);
    assert.match(first, /<svg/);
    assert.ok(await page.evaluate(`Object.entries(saved).find(([name]) => name.endsWith('.png'))[1].size`) > 1000);
    await page.close();
  },

  async 'nothing leaves the page'(browser, server) {
    const page = await opened(browser, server, 'gemm/shared');
    await wait(500);
    for (const address of page.requests) assert.ok(address.startsWith(server.address) || /^(blob|data):/.test(address), address);
    const refused = await page.evaluate(`fetch('http://127.0.0.1:9/').then(() => 'sent', fault => String(fault))`);
    assert.notEqual(refused, 'sent');
    assert.ok(page.faults.some(text => /Content Security Policy/.test(text)), 'the policy was not asked: ' + page.faults);
    assert.match(await page.evaluate(`(() => { try { return String(eval('1 + 1')); } catch (fault) { return String(fault); } })()`, {allowUnsafeEvalBlockedByCSP: false}), /EvalError/);
    await page.close();
  },

  async 'a narrow window is told so'(browser, server) {
    const page = await browser.openPage({width: 800, height: 1000});
    await page.goTo(server.address + '/app/index.html');
    await page.until('!document.getElementById("narrow").hidden', 'the note');
    assert.equal(await page.evaluate('app'), null);
    await page.close();
  },

  async 'it works offline after the first visit'(browser) {
    const server = await serve(site);
    const page = await opened(browser, server, 'banks/column');
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.until(`caches.keys().then(async names => names.length === 1 && (await (await caches.open(names[0])).keys()).length > 100)`, 'the kept files');
    await page.close();
    await server.stop();
    const offline = await browser.openPage(kSize);
    await offline.goTo(server.address + '/app/index.html#transpose/padded?n=128');
    await offline.open();
    await offline.until(`${ready} && ${hash}.startsWith('#transpose/padded')`, 'a run without a connection');
    assert.equal(await offline.evaluate(fault), '');
    await offline.close();
  }
};

async function main() {
  const server = await serve(site), browser = await openBrowser();
  let passed = 0, failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (process.argv[4] && !name.includes(process.argv[4])) continue;
    try {
      await test(browser, server);
      ++passed, console.log('ok      ' + name);
    } catch (why) {
      ++failed, console.log('FAILED  ' + name + ': ' + why.message);
    }
  }
  await browser.close();
  await server.stop();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
main();
