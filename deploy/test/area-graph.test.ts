import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Drawings by service, as the page and the script show them. */
const drawingsOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/\*\*([a-z-]+)\*\*\n\n```mermaid\n(.*?)```/gs)].map(([, name = '', drawing = '']) => [
      name,
      drawing,
    ]),
  );

it('docs/architecture.md draws areas as the code imports them', () => {
  const { stdout } = spawnSync(process.execPath, ['deploy/maintenance/area-graph.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  const now = drawingsOf(stdout);
  const drawn = drawingsOf(readFileSync(join(root, 'docs/architecture.md'), 'utf8'));
  expect(drawn.size).toBeGreaterThanOrEqual(4);
  expect([...drawn]).toEqual([...drawn.keys()].map((service) => [service, now.get(service)]));
});
