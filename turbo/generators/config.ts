import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlopTypes } from '@turbo/gen';
import { namesOf } from './names';

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
      const names = namesOf(answers as { service: string; noun: string });
      return [
        addAll('service', names),
        catalogueRow(root, names.service),
        ...resourceActions(root, names),
        () => format(root),
        () => `next: npm install, then npm test -- services/${names.service}`,
      ];
    },
  });
  plop.setGenerator('resource', {
    description: 'A resource of a service that has been generated: area, protos, routes, tests',
    prompts: [service, noun],
    actions: (answers) => {
      const names = namesOf(answers as { service: string; noun: string });
      return [...resourceActions(root, names), () => format(root)];
    },
  });
}

type Names = ReturnType<typeof namesOf>;

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

function resourceActions(root: string, names: Names): PlopTypes.ActionType[] {
  const { service, nouns, Nouns, Words, words } = names;
  const insert =
    (path: string, marker: RegExp, text: string): PlopTypes.ActionType =>
    () =>
      insertBefore(join(root, path), marker, text);
  return [
    addAll('resource', names),
    insert(
      `services/${service}/src/service.ts`,
      /^import \{ variables/m,
      `import { compose${Nouns} } from './${nouns}';\n`,
    ),
    insert(`services/${service}/src/service.ts`, /(?<=areas: \(given\) => \[)/, `compose${Nouns}(given), `),
    () => appendModel(root, names),
    () => routeFolder(root, names),
    insert('services/gateway/src/http/abilities.ts', /^ {2}admin_label:/m, abilities(names)),
    insert(
      'services/gateway/src/http/reference/sections.ts',
      /^ {2}Groups:/m,
      `  '${Words}': 'The ${words} of a project.',\n`,
    ),
    insert('services/gateway/test/permissions/expected.ts', /^\];\n(?![\s\S]*^\];\n)/m, permissionRows(names)),
  ];
}

function catalogueRow(root: string, service: string): PlopTypes.ActionType {
  return () => insertBefore(join(root, 'deploy/catalogue.mjs'), /'gateway',?\s*\];/, `'${service}', `);
}

function appendModel(root: string, { service, model }: Names): string {
  const file = join(root, 'services', service, 'prisma/schema.prisma');
  writeFileSync(file, `${readFileSync(file, 'utf8')}${model}`);
  return file;
}

/** The folder of routes of a service, to which the resource's are added. */
function routeFolder(root: string, { service, noun, nouns }: Names): string {
  const file = join(root, 'services/gateway/src/routes', service, 'index.ts');
  if (!existsSync(file)) {
    const head = `import type { Route } from '../../http/route';\n`;
    writeFileSync(
      file,
      `${head}\n/** What the service ${service} serves. */\nexport const routes: readonly Route[] = [];\n`,
    );
  }
  const list = camel(`${noun}-routes`);
  insertBefore(file, /^\n/m, `import { ${list} } from './${nouns}.routes';\n`);
  return insertBefore(file, /(?<=Route\[\] = \[)/, `...${list}, `);
}

const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const abilities = ({ noun_snake: noun }: Names): string =>
  `  read_${noun}: openOr(levels.guest),\n  admin_${noun}: writing(levels.developer),\n`;

function permissionRows({ Words, nouns_snake: path, noun_snake: id }: Names): string {
  const list = `/projects/:id/${path}`;
  const one = `${list}/:${id}_id`;
  return `
  // ${Words}
  row('GET ${list}', 'openRead', 'D3'),
  row('POST ${list}', 'developerWrite', 'D3', { name: 'n' }),
  row('GET ${one}', 'openRead', 'D3'),
  row('DELETE ${one}', 'developerWrite', 'D3'),
`;
}

/** @throws when the file has no such place */
function insertBefore(file: string, place: RegExp, text: string): string {
  const content = readFileSync(file, 'utf8');
  const at = content.search(place);
  if (at < 0) throw new Error(`${file} has changed its shape: ${place} is not found`);
  writeFileSync(file, content.slice(0, at) + text + content.slice(at));
  return file;
}

function format(root: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  spawnSync(biome, ['check', '--write', 'services', 'deploy/catalogue.mjs'], { cwd: root, stdio: 'ignore' });
  return 'formatted';
}
