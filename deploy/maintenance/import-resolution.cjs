const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

// Imports between workspaces lead to sources, so that checking them needs no build.
const root = process.cwd();
const libs = existsSync(join(root, 'libs')) ? readdirSync(join(root, 'libs')) : [];

module.exports = {
  resolve: {
    extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'],
    alias: {
      ...Object.fromEntries(libs.map((name) => [`@switchyard/${name}$`, join(root, 'libs', name, 'src', 'index.ts')])),
      ...Object.fromEntries(
        [
          ['database', 'migrate'],
          ['database', 'sql'],
          ['directory', 'migrations'],
          ['events', 'migrations'],
          ['service', 'main'],
          ['service', 'migrate'],
          ['service', 'migrations'],
        ].map(([lib, part]) => [`@switchyard/${lib}/${part}$`, join(root, 'libs', lib, 'src', `${part}.ts`)]),
      ),
      '@switchyard/testkit/installation$': join(root, 'libs', 'testkit', 'src', 'installation', 'index.ts'),
      '@switchyard/testkit/replies$': join(root, 'libs', 'testkit', 'src', 'replies', 'index.ts'),
      '@switchyard/protos': join(root, 'protos', 'gen', 'switchyard'),
    },
  },
};
