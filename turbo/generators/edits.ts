import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Names } from './names';

/** A change of a file that is there, or that starts as `initial`. */
export interface Edit {
  readonly path: string;
  readonly initial?: string;
  /** @throws when the text lacks the place that is to be changed */
  change(text: string): string;
}

/** What a resource changes in its service and in the gateway, besides files of its own. */
export function resourceEdits(names: Names): Edit[] {
  const { service, Words, words, model } = names;
  const gateway = 'services/gateway';
  return [
    { path: `services/${service}/src/service.ts`, change: (text) => withArea(text, names) },
    { path: `services/${service}/prisma/schema.prisma`, change: (text) => `${text}${model}` },
    {
      path: `${gateway}/src/routes/${service}/index.ts`,
      initial: `import type { Route } from '../../http/route';

/** What the service ${service} serves. */
export const routes: readonly Route[] = [];
`,
      change: (text) => withRoutes(text, names),
    },
    {
      path: `${gateway}/src/http/abilities.ts`,
      change: (text) => insertBefore(text, /^ {2}admin_label:/m, abilities(names)),
    },
    {
      path: `${gateway}/src/http/reference/sections.ts`,
      change: (text) => insertBefore(text, /^ {2}Groups:/m, `  '${Words}': 'The ${words} of a project.',\n`),
    },
    {
      path: `${gateway}/test/permissions/rows/${service}.ts`,
      initial: `import { type Expectation, row } from '../expectation';

/** Operations of the service ${service}. */
export const rows: readonly Expectation[] = [
];
`,
      change: (text) => insertBefore(text, /(?<=export const rows[\s\S]*)^\];\n/m, permissionRows(names)),
    },
  ];
}

/** The row of a new service. */
export const catalogueEdit = ({ service }: Names): Edit => ({
  path: 'deploy/catalogue.mjs',
  change: (text) => insertBefore(text, /'gateway',?\s*\];/, `'${service}', `),
});

/** The text of a `service.ts` with one more area, at its comment `// New areas`. */
export function withArea(text: string, { nouns, Nouns }: Pick<Names, 'nouns' | 'Nouns'>): string {
  const composed = insertBefore(text, /^ *\/\/ New areas$/m, `compose${Nouns}(given),\n`);
  return withImport(composed, `import { compose${Nouns} } from './${nouns}';\n`);
}

function withRoutes(text: string, { nounCamel, nouns }: Names): string {
  const listed = insertBefore(text, /(?<=Route\[\] = \[)/, `...${nounCamel}Routes, `);
  return withImport(listed, `import { ${nounCamel}Routes } from './${nouns}.routes';\n`);
}

/** Adds an import behind those at the top; the formatter sorts them. */
const withImport = (text: string, line: string): string => insertBefore(text, /^(?!import |} from | )/m, line);

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

/** @throws when the text has no such place */
function insertBefore(text: string, place: RegExp, inserted: string): string {
  const at = text.search(place);
  if (at < 0) throw new Error(`${place} is not found`);
  return text.slice(0, at) + inserted + text.slice(at);
}

/** The text of a file after an edit. @throws an error that names the file, when the edit does not fit */
function edited(root: string, { path, initial, change }: Edit): string {
  const file = join(root, path);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : initial;
  if (text === undefined) throw new Error(`${path} does not exist`);
  try {
    return change(text);
  } catch (error) {
    throw new Error(`${path} has changed its shape: ${(error as Error).message}`);
  }
}

/** Tries edits and writes nothing. @throws when one does not fit */
export function checkEdits(root: string, edits: readonly Edit[]): string {
  for (const edit of edits) edited(root, edit);
  return 'every place is found';
}

/** Edits a file. */
export function writeEdit(root: string, edit: Edit): string {
  const file = join(root, edit.path);
  writeFileSync(file, edited(root, edit));
  return file;
}
