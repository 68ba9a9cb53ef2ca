// Reads a run file: the entries of a zip archive by name. Nothing but what the program writes itself is asked of it.
'use strict';
const zlib = require('zlib');

function entries(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = buffer.length - 22;
  while (end >= 0 && buffer.readUInt32LE(end) !== 0x06054b50) --end;
  const all = new Map();
  let at = buffer.readUInt32LE(end + 16);
  for (let i = buffer.readUInt16LE(end + 10); i > 0; --i) {
    const method = buffer.readUInt16LE(at + 10), packed = buffer.readUInt32LE(at + 20);
    const name = buffer.readUInt16LE(at + 28), extra = buffer.readUInt16LE(at + 30), comment = buffer.readUInt16LE(at + 32);
    const local = buffer.readUInt32LE(at + 42);
    const data = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    const content = buffer.subarray(data, data + packed);
    all.set(buffer.toString('utf8', at + 46, at + 46 + name), method === 8 ? zlib.inflateRawSync(content) : content);
    at += 46 + name + extra + comment;
  }
  return all;
}

module.exports = {entries};
