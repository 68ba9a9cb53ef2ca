// The page's modules against the desktop's program: for every lab and rung at its default settings the same run, byte for byte
// but for what names the machine and its clock, and the same pictures.
//
// usage: node tests/web/against_desktop.js BUILD_WEB LOCKSTEP [LAB...]
// Without a lab it takes all of them, one after the other in as many processes as there are cores.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {execFileSync, spawn} = require('child_process');
const {entries} = require('./run_file.js');
const {openWorker, openWindow} = require('./modules.js');

const [build, lockstep] = process.argv.slice(2, 4).map(name => path.resolve(name)), only = process.argv.slice(4);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lockstep-web-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
// Exit code 1 says that a kernel's result is wrong, as one kept for its race is: there is a run all the same.
function desktop(...words) {
  try {
    return execFileSync(lockstep, words, {encoding: 'utf8', maxBuffer: 1 << 28, cwd: folder});
  } catch (failed) {
    if (failed.status !== 1) throw failed;
    return failed.stdout;
  }
}

// What of a manifest says where and when it was made; its ranges are measured.
function comparable(bytes) {
  const manifest = JSON.parse(bytes);
  delete manifest.date;
  if (manifest.engine === 'emulator') delete manifest.device;
  if (manifest.metrics) delete manifest.metrics['ranges.record'];
  if (manifest.provenance) delete manifest.provenance['metrics.ranges'];
  return manifest;
}

// The request of a manifest, letter by letter.
function requestIn(manifest) {
  const text = manifest.toString(), from = text.indexOf('"request":') + 10;
  let depth = 0, at = from;
  do {
    if (text[at] === '{') ++depth;
    if (text[at] === '}') --depth;
    ++at;
  } while (depth);
  return text.slice(from, at);
}

// Sine, exponential and the like come of two libraries, so that values, and an error that rests on them, may differ in the last
// digits.
const kLibm = 1e-6;
function differences(a, b, where = '') {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? [] : [{where, a, b, close: Math.abs(a - b) <= kLibm * Math.max(1, Math.abs(a), Math.abs(b))}];
  if (typeof a !== typeof b || a === null || b === null || typeof a !== 'object') return a === b ? [] : [{where, a, b}];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap(key => differences(a[key], b[key], where ? where + '.' + key : key));
}

// Two columns of floats (.npy) that differ in their last digits alone.
function closeFloats(a, b) {
  if (!a || !b || a.length !== b.length) return false;
  const from = 10 + a.readUInt16LE(8);
  if (!/'<f4'/.test(a.toString('latin1', 10, from)) || !a.subarray(0, from).equals(b.subarray(0, from))) return false;
  for (let at = from; at < a.length; at += 4) {
    const x = a.readFloatLE(at), y = b.readFloatLE(at);
    if (!(Math.abs(x - y) <= kLibm * Math.max(1, Math.abs(x))) && !(Number.isNaN(x) && Number.isNaN(y))) return false;
  }
  return true;
}

const firstDifference = (a, b) => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) ++at;
  return `at ${at}: ${JSON.stringify(a.slice(Math.max(0, at - 60), at + 60))} and ${JSON.stringify(b.slice(Math.max(0, at - 60), at + 60))}`;
};

const looks = [{name: 'window', flags: [], options: {}},
  {name: 'figure, dark, Chinese', flags: ['--figure', '--theme', 'dark', '--lang', 'zh'], options: {figure: true, dark: true, chinese: true}}];

const labs = () => JSON.parse(desktop('list', '--json')).labs;

// Labs in two groups per core, about as many rungs in each: to open both modules takes seconds.
function groups() {
  const all = os.cpus().flatMap(() => [{rungs: 0, labs: []}, {rungs: 0, labs: []}]);
  for (const lab of labs().sort((a, b) => b.rungs.length - a.rungs.length)) {
    const least = all.reduce((a, b) => a.rungs <= b.rungs ? a : b);
    least.labs.push(lab.slug), least.rungs += lab.rungs.length;
  }
  return all.filter(group => group.labs.length);
}

async function shareOut() {
  const left = groups();
  let passed = 0, failed = 0;
  const one = ({labs}) => new Promise(done => {
    let text = '';
    const child = spawn(process.execPath, [__filename, build, lockstep, ...labs], {stdio: ['ignore', 'pipe', 'inherit']});
    child.stdout.on('data', part => text += part);
    child.on('close', code => {
      const said = text.match(/(\d+) passed, (\d+) failed\n$/);
      process.stdout.write(said ? text.slice(0, said.index) : text);
      if (said) passed += +said[1], failed += +said[2];
      if (!said || (code !== 0 && said[2] === '0')) ++failed, console.log(`FAILED ${labs}: ended with ${code}`);
      done();
    });
  });
  await Promise.all(os.cpus().map(async () => { while (left.length) await one(left.shift()); }));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed || !passed ? 1 : 0;
}

async function main() {
  const ask = await openWorker(build), draw = await openWindow(build);
  let passed = 0, failed = 0;
  const fail = what => { ++failed, console.log('FAILED ' + what); };
  for (const lab of labs()) {
    if (!only.includes(lab.slug)) continue;
    for (const {slug} of lab.rungs) {
      const name = lab.slug + '/' + slug, file = path.join(folder, 'run.npz');
      const before = failed;
      let close = 0;
      desktop('run', lab.slug, '--rung', slug, '--save', file);
      const bytes = new Uint8Array(fs.readFileSync(file)), there = entries(bytes);
      const started = Date.now(), here = entries(ask(requestIn(there.get('manifest.json'))));
      const took = Date.now() - started;
      for (const d of differences(comparable(there.get('manifest.json')), comparable(here.get('manifest.json'))))
        d.close && /max_error|metrics/.test(d.where) ? console.log(`  ${name} ${d.where}: ${d.a}, here ${d.b}`) : fail(`${name}: ${d.where} is ${JSON.stringify(d.a)}, here ${JSON.stringify(d.b)}`);
      for (const entry of new Set([...there.keys(), ...here.keys()])) {
        const a = there.get(entry), b = here.get(entry);
        if (entry === 'manifest.json' || (a && b && a.equals(b))) continue;
        if (/data.npy$/.test(entry) && closeFloats(a, b)) ++close;
        else fail(`${name}: ${entry} differs (${a && a.length} and ${b && b.length} bytes)`);
      }
      for (const look of looks) {
        const picture = path.join(folder, 'picture.svg');
        desktop('shot', '--run', 'run.npz', ...look.flags, '-o', picture);
        const wanted = fs.readFileSync(picture, 'utf8'), drawn = draw(bytes, 'run.npz', look.options);
        if (wanted !== drawn) fail(`${name}: ${look.name} differs ${firstDifference(wanted, drawn)}`);
      }
      if (failed === before) ++passed, console.log(`${name}: equal${close ? ` but for the last digits of ${close} buffers` : ''}, ${took} ms`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed || !passed ? 1 : 0;
}
only.length ? main() : shareOut();
