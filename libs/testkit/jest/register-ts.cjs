// `node --require <this file> script.ts`: runs TypeScript from its sources in a process of its own, with the names Jest resolves.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const root = join(__dirname, '../../..');
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

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
