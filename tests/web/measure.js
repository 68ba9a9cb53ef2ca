// What the page costs: until the first picture, and from a change to the new picture, for every lab as it opens. Figures of this
// machine; software draws the pixels where it has no GPU.
//
// usage: node tests/web/measure.js BUILD_WEB MB_PER_S LAB/RUNG...
'use strict';
const path = require('path');
const {serve, openBrowser} = require('./browser.js');

const site = path.join(path.resolve(process.argv[2]), 'site'), rate = Number(process.argv[3] || 10) * 1e6;
const kTimes = 7, kBefore = 12;    // a browser compiles anew what runs often, beside it: only then is a page warm
const median = all => all.sort((a, b) => a - b)[all.length >> 1];

// Runs the lab again and again in the page, and waits there until its picture stands: milliseconds of each.
const again = `(async () => {
  const times = [], rest = ms => new Promise(done => setTimeout(done, ms));
  for (let i = 0; i < ${kBefore + kTimes}; ++i) {
    const from = performance.now();
    app._lockstep_text('R'.codePointAt(0)), wake();
    await rest(1);
    while (app._lockstep_busy()) await rest(2);
    times.push(performance.now() - from);
    await rest(400);    // what is drawn on the processor is drawn by then
  }
  return times;
})()`;

const stands = `(async () => {
  while (app._lockstep_busy() || !document.documentElement.dataset.firstPictureMs) await new Promise(done => setTimeout(done, 5));
  return {first: document.documentElement.dataset.firstPictureMs, whole: Math.round(performance.now())};
})()`;

async function main() {
  const server = await serve(site), browser = await openBrowser();
  // By the page's clock, from when it was asked for: the first picture of the window, and that of a lab that a link names.
  for (const link of ['', '#transpose/padded'])
    for (let i = 0; i < 3; ++i) {
      const page = await browser.openPage({width: 1600, height: 900});
      await page.tell('Network.setCacheDisabled', {cacheDisabled: true});
      await page.tell('Network.emulateNetworkConditions', {offline: false, latency: 20, downloadThroughput: rate, uploadThroughput: rate});
      await page.goTo(server.address + '/app/index.html' + link);
      await page.open();
      const told = await page.evaluate(stands);
      console.log(`at ${rate / 1e6} MB/s, ${link || 'home'}: first picture after ${told.first} ms, all of it after ${told.whole}`);
      await page.close();
    }
  const page = await browser.openPage({width: 1600, height: 900});
  for (const rung of process.argv.slice(4)) {
    await page.goTo('about:blank');    // what follows # alone would not load the page anew
    await page.goTo(server.address + '/app/index.html#' + rung);
    await page.open();
    await page.until('app._lockstep_busy() === 0', rung);
    const times = await page.evaluate(again);
    const said = times.map(Math.round).join(' '), warm = times.slice(kBefore);
    console.log(`${rung}: ${Math.round(median(warm))} ms, warm (all in turn: ${said})`);
  }
  await browser.close(), await server.stop();
}
main();
