import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

it('docs/architecture.md draws the areas as the code imports them', () => {
  const { stdout } = spawnSync(process.execPath, ['deploy/maintenance/area-graph.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  const drawings = stdout.split('\n\n').filter((part) => part.startsWith('```mermaid'));
  expect(drawings).toHaveLength(4);
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  expect(drawings.filter((drawing) => !page.includes(drawing))).toEqual([]);
});
