// `node --require <this file> script.ts`: runs TypeScript from its sources in a process of its own, with the names Jest resolves.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const swc = require('@swc/core');

const root = join(__dirname, '../../..');
// A third of what such a process takes to start is the transformation of its sources: each is done once.
const cache = join(root, 'node_modules', '.cache', 'register-ts');
mkdirSync(cache, { recursive: true });
const aliases = [
  [/^@switchyard\/protos\/(?!package\.json)(.*)$/, (name) => join(root, 'protos/gen/switchyard', name)],
  [/^@switchyard\/([a-z-]+)$/, (name) => join(root, 'libs', name, 'src/index.ts')],
];

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveFilename(request, ...rest) {
  for (const [pattern, target] of aliases) {
    const match = pattern.exec(request);
    if (match) return resolve.call(this, target(match[1]), ...rest);
  }
  return resolve.call(this, request, ...rest);
};

const options = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};
const version = JSON.stringify([swc.version, options]);

function transformed(filename) {
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha1').update(`${version}\n${filename}\n${source}`).digest('hex');
  const kept = join(cache, `${key}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = swc.transformSync(source, { filename, ...options });
    // Processes that start side by side never see half a file.
    writeFileSync(`${kept}.${process.pid}`, code);
    renameSync(`${kept}.${process.pid}`, kept);
    return code;
  }
}

require.extensions['.ts'] = (module, filename) => {
  module._compile(transformed(filename), filename);
};
