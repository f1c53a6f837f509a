// Prints the drawings of areas of docs/architecture.md, from the imports of the code:
//   node deploy/maintenance/area-graph.mjs
import { spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The areas of the domain services, and which other areas each imports.
 *
 * @returns {Map<string, Map<string, Set<string>>>} by service, by area
 */
function importsOfAreas() {
  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout } = spawnSync(
    process.execPath,
    [cruiser, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'services'],
    { cwd: root, encoding: 'utf8', maxBuffer: 256 << 20 },
  );
  const area = /^services\/(?!gateway\/)([^/]+)\/src\/([^/]+)\//;
  const services = new Map();
  for (const { source, dependencies } of JSON.parse(stdout).modules) {
    const [, service, from] = area.exec(source) ?? [];
    if (service === undefined || from === 'generated' || source.endsWith('.test.ts')) continue;
    const areas = services.get(service) ?? services.set(service, new Map()).get(service);
    const imported = areas.get(from) ?? areas.set(from, new Set()).get(from);
    for (const { resolved } of dependencies) {
      const [, owner, to] = area.exec(resolved) ?? [];
      if (owner === service && to !== from && to !== 'generated') imported.add(to);
    }
  }
  return services;
}

/** Whether `to` can be reached from `from` by more than one step: such an arrow says nothing new. */
function isReachedOtherwise(areas, from, to) {
  const seen = new Set();
  const queue = [...areas.get(from)].filter((next) => next !== to);
  while (queue.length > 0) {
    const at = queue.pop();
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    queue.push(...(areas.get(at) ?? []));
  }
  return false;
}

/**
 * A drawing of the areas of each service, as Mermaid. An arrow that follows from others is left out.
 *
 * @returns {Map<string, string>} by service
 */
export function drawAreas() {
  return new Map(
    [...importsOfAreas()].sort().map(([service, areas]) => {
      const arrows = [...areas].sort().flatMap(([from, imported]) =>
        [...imported]
          .sort()
          .filter((to) => !isReachedOtherwise(areas, from, to))
          .map((to) => `  ${from} --> ${to}`),
      );
      return [service, ['flowchart LR', ...arrows].join('\n')];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [service, drawing] of drawAreas())
    process.stdout.write(`**${service}**\n\n\`\`\`mermaid\n${drawing}\n\`\`\`\n\n`);
