import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PlopTypes } from '@turbo/gen';
import { catalogueEdit, checkEdits, type Edit, resourceEdits, writeEdit } from './edits';
import { type Names, namesOf } from './names';

/** A name as folders and files have it: `payroll`, `merge-requests`. */
const kebab = (written: string): true | string =>
  /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(written) || 'lower-case words with hyphens between them';

const service = { type: 'input', name: 'service', message: 'Service (kebab-case)', validate: kebab };
const noun = { type: 'input', name: 'noun', message: 'Resource (kebab-case, singular)', validate: kebab };

/** `turbo gen service` and `turbo gen resource`: skeletons that build and whose tests pass, to be filled with what is their own. */
export default function generators(plop: PlopTypes.NodePlopAPI): void {
  const root = plop.getDestBasePath();
  plop.setGenerator('service', {
    description: 'A service with its first resource, and its row in the catalogue',
    prompts: [service, noun],
    actions: (answers) => {
      const names = namesOf(root, answers as { service: string; noun: string });
      const folder = `services/${names.service}`;
      const edits = [catalogueEdit(names), ...resourceEdits(names)];
      return [
        () => checkAbsent(root, [folder, ...resourceFiles(names)]),
        // What lies in the folder comes from the templates.
        () =>
          checkEdits(
            root,
            edits.filter(({ path }) => !path.startsWith(`${folder}/`)),
          ),
        addAll('service', names),
        ...resourceActions(root, names, edits),
        () => `next: npm install, then npm test -- ${folder}/`,
      ];
    },
  });
  plop.setGenerator('resource', {
    description: 'A resource of a service: area, protos, routes, tests',
    prompts: [service, noun],
    actions: (answers) => {
      const names = namesOf(root, answers as { service: string; noun: string });
      const edits = resourceEdits(names);
      return [
        () => checkAbsent(root, resourceFiles(names)),
        () => checkEdits(root, edits),
        ...resourceActions(root, names, edits),
      ];
    },
  });
}

/** Every template of a folder, to the same place below the root. */
const addAll = (folder: string, data: Names): PlopTypes.ActionType => ({
  type: 'addMany',
  base: `templates/${folder}`,
  templateFiles: `templates/${folder}/**`,
  destination: '.',
  globOptions: { dot: true },
  stripExtensions: ['hbs'],
  data,
});

const resourceActions = (root: string, names: Names, edits: readonly Edit[]): PlopTypes.ActionType[] => [
  addAll('resource', names),
  ...edits.map((edit) => () => writeEdit(root, edit)),
  () => format(root),
];

/** What a resource may not find there: its area, and its files among those of others. */
const resourceFiles = ({ service, service_snake, noun_snake, noun, nouns }: Names): string[] => [
  `services/${service}/src/${nouns}`,
  `services/${service}/test/component/${noun}.comp.test.ts`,
  `protos/switchyard/${service_snake}/v1/${noun_snake}.proto`,
  `protos/openapi/${service}-${nouns}.yaml`,
  `services/gateway/src/routes/${service}/${nouns}.routes.ts`,
  `services/gateway/test/routes/${service}/${nouns}.test.ts`,
];

/** @throws when one is there: nothing is generated over it */
function checkAbsent(root: string, paths: readonly string[]): string {
  const found = paths.find((path) => existsSync(join(root, path)));
  if (found !== undefined) throw new Error(`${found} exists`);
  return 'every file is new';
}

function format(root: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  spawnSync(biome, ['check', '--write', 'services', 'deploy/catalogue.mjs'], { cwd: root, stdio: 'ignore' });
  return 'formatted';
}
