import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const words = (kebab: string): string[] => kebab.split('-');
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const pascal = (kebab: string): string => words(kebab).map(capital).join('');
const camel = (kebab: string): string => pascal(kebab).replace(/^./, (letter) => letter.toLowerCase());
const snake = (kebab: string): string => kebab.replaceAll('-', '_');

/** The English plural of a noun, as far as names of resources need it. */
const plural = (noun: string): string => {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
};

const startedWith = (options: string) => ({
  testImports: `import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';`,
  testStart: `testInstallation(${options})`,
});

/** How component tests start the services that have variables without defaults. */
const tests: Record<string, ReturnType<typeof startedWith>> = {
  alerts: {
    testImports: `import { json, type TestInstallation } from '@switchyard/testkit/installation';
import { startInstallation } from '../support/installation';`,
    testStart: 'startInstallation()',
  },
  'groups-admin': {
    testImports: `import { join } from 'node:path';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';`,
    testStart: `testInstallation({
    service,
    environment: () => ({
      SWITCHYARD_SECRET: 'of a test'.repeat(4),
      SWITCHYARD_TOKEN_DIGEST_KEY_FILE: join(__dirname, '../support/token-digest.key'),
      SWITCHYARD_REQUEST_DIGEST_KEY_FILE: join(__dirname, '../support/token-digest.key'),
    }),
  })`,
  },
};

/** Now as migrations begin their names, or a second after the last one of the service: each comes after all before it. */
function stampOf(root: string, service: string): string {
  const folder = join(root, 'services', service, 'prisma', 'migrations');
  const last = existsSync(folder) ? (readdirSync(folder).sort().at(-1) ?? '') : '';
  const now = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const stamp = /^\d{14}/.exec(last)?.[0];
  return stamp === undefined || stamp < now ? now : String(Number(stamp) + 1);
}

/** One noun in every form that proto, handler, use case, store, presenter, route and tests write it in. */
export function namesOf(root: string, { service, noun }: { readonly service: string; readonly noun: string }) {
  const nouns = plural(noun);
  return {
    service,
    service_snake: snake(service),
    noun,
    nouns,
    noun_snake: snake(noun),
    nouns_snake: snake(nouns),
    nounCamel: camel(noun),
    nounsCamel: camel(nouns),
    Noun: pascal(noun),
    Nouns: pascal(nouns),
    word: words(noun).join(' '),
    words: words(nouns).join(' '),
    Word: capital(words(noun).join(' ')),
    Words: capital(words(nouns).join(' ')),
    stamp: stampOf(root, service),
    ...(tests[service] ?? startedWith('{ service }')),
    model: modelOf(pascal(noun), snake(nouns), words(noun).join(' ')),
  };
}

/** What `namesOf` gives. */
export type Names = ReturnType<typeof namesOf>;

const modelOf = (model: string, table: string, word: string): string => `
/// A ${word} of a project.
model ${model} {
  id        BigInt   @id @default(autoincrement())
  projectId BigInt   @map("project_id")
  name      String
  createdAt DateTime @default(now()) @map("created_at") @db.Timestamptz(3)
  updatedAt DateTime @default(now()) @updatedAt @map("updated_at") @db.Timestamptz(3)

  @@index([projectId, id], map: "${table}_of_project")
  @@map("${table}")
}
`;
