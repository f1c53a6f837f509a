import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAdditive } from '@switchyard/database';
import { columnsAddedBy, faultsOf } from './support/migration-rules';

const root = join(__dirname, '../..');

interface Release {
  version: string;
  /** Folder of migrations → how many there were, and the last of them. */
  migrations: Record<string, { count: number; last: string }>;
}
const { releases } = JSON.parse(readFileSync(join(root, 'deploy/releases.json'), 'utf8')) as { releases: Release[] };
const first = releases[0] as Release;

const folders = [
  ...readdirSync(join(root, 'services')).map((name) => `services/${name}/prisma/migrations`),
  ...['events/migrations/events', 'events/migrations/log', 'directory/migrations'].map((name) => `libs/${name}`),
];
const migrationsOf = (folder: string): string[] => {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => /^\d{14}_/.test(name))
      .sort();
  } catch {
    return [];
  }
};
const known = folders.filter((folder) => migrationsOf(folder).length > 0);

it.each(known)('%s: what is new since the first release comes after it', (folder) => {
  const release = first.migrations[folder] ?? { count: 0, last: '' };
  expect(migrationsOf(folder).filter((name) => name <= release.last)).toHaveLength(release.count);
});

const added = known.flatMap((folder) =>
  migrationsOf(folder)
    .filter((name) => name > (first.migrations[folder]?.last ?? ''))
    .map((name) => `${folder}/${name}`),
);

/** Lines of a migration's first comment that say what it means for versions before it. */
const declared = /^(?:--.*\n)*?-- (?:additive\n|not additive: \S)/;

const scriptOf = (folder: string) => readFileSync(join(root, folder, 'migration.sql'), 'utf8');

if (added.length > 0) {
  it.each(added)('%s says whether it is additive, is so if it says so, and locks no table for long', async (folder) => {
    const script = scriptOf(folder);
    expect(script).toMatch(declared);
    const ofService = added.filter((other) => dirname(other) === dirname(folder));
    const { additive, locks } = await faultsOf(script, await columnsAddedBy(ofService.map(scriptOf)));
    expect({ additive: isAdditive(script) ? additive : [], locks }).toEqual({ additive: [], locks: [] });
  });
}

const table = 'create table things (id int);';
it.each<[string, { additive?: string[]; locks?: string[] }]>([
  ['create table things (id int primary key); create unique index i on things (id);', {}],
  [`${table} alter table things add column name text not null;`, {}],
  ['alter table users add column nick text; alter table users add column size int not null default 0;', {}],
  ['update users set nick = name where nick is null;', {}],
  ['-- no transaction\ncreate index concurrently i on users (nick);', {}],
  ['alter table users alter nick set default 1;', {}],
  ['alter table users alter nick drop default;', { additive: ['users: AT_ColumnDefault of nick is not additive'] }],
  ['create table things (user_id int references users on delete cascade);', {}],
  [
    'create table things (user_id int references users);',
    { additive: ['things holds rows of users back from deletion'] },
  ],
  [
    "create or replace function f() returns int language sql as 'select 1';",
    { additive: ['CreateFunctionStmt is not additive'] },
  ],
  ['-- no transaction\ndrop index concurrently i;', { additive: ['an index may be what older versions rely on'] }],
  [
    '-- no transaction\ncreate index concurrently i on users (nick); select 1;',
    { locks: ['index i of users needs a migration of its own, with "-- no transaction"'] },
  ],
  [
    'alter table users add column nick text not null;',
    { additive: ['users: column nick refuses what older versions write'] },
  ],
  [
    'alter table users add column nick text unique;',
    { additive: ['users: column nick refuses what older versions write'] },
  ],
  ['alter table users drop column nick;', { additive: ['users: AT_DropColumn of nick is not additive'] }],
  ['alter table users alter nick set not null;', { additive: ['users: AT_SetNotNull of nick is not additive'] }],
  ['alter table users rename column nick to name;', { additive: ['RenameStmt is not additive'] }],
  ['drop table users;', { additive: ['DropStmt is not additive'] }],
  ['delete from users;', { additive: ['DeleteStmt is not additive'] }],
  ['do $$ begin end $$;', { additive: ['DoStmt is not additive'] }],
  ['create index i on users (nick);', { locks: ['index i of users is not made concurrently'] }],
  [
    '-- no transaction\ncreate unique index concurrently i on users (nick);',
    { additive: ['index i of users refuses what older versions write'] },
  ],
  [
    'drop index i;',
    {
      additive: ['an index may be what older versions rely on'],
      locks: ['an index is not dropped concurrently'],
    },
  ],
  [
    'alter table users alter nick type int using 1;',
    {
      additive: ['users: AT_AlterColumnType of nick is not additive'],
      locks: ['users: another type of nick rewrites the table'],
    },
  ],
  [
    'alter table users add constraint short check (length(nick) < 9);',
    {
      additive: ['users: AT_AddConstraint is not additive'],
      locks: ['users: constraint short is not added as not valid'],
    },
  ],
])('of `%s` the check says %j', async (script, expected) => {
  expect(await faultsOf(script)).toEqual({ additive: [], locks: [], ...expected });
});

it('a unique index of rows that only newer versions write refuses nothing', async () => {
  const columns = await columnsAddedBy(['alter table users add column nick text, add column is_new boolean;']);
  const faults = (condition: string) =>
    faultsOf(`-- no transaction\ncreate unique index concurrently i on users (id) where ${condition};`, columns);
  for (const condition of ['nick is not null', 'is_new'])
    expect(await faults(condition)).toEqual({ additive: [], locks: [] });
  for (const condition of ['nick is null', 'name is not null', 'not is_new'])
    expect((await faults(condition)).additive).toEqual(['index i of users refuses what older versions write']);
});
