import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  CreateVariableRequest,
  type ResolveVariablesRequest,
  UpdateVariableRequest,
  VariableServiceService,
} from '@switchyard/protos/groups_admin/v1/variable';
import { deriveKey, keyring } from '@switchyard/secrets';
import { logger } from '@switchyard/telemetry';
import { rotateSecrets } from '../../src/rotate-secrets';
import { variableStore } from '../../src/variables/storage/variable.store';
import { groupClients, refusal } from '../support/group-clients';
import { pageOf, type RunningGroups, runGroups, shown, type Target, type TestUser } from '../support/running-groups';

const secret = 'a secret of at least thirty-two characters';
const newerSecret = 'a newer secret for all that is stored';
/** In each value of this file: nothing that is written down holds it. */
const canary = 'CanaryOfTheVariables';

let running: RunningGroups;
let ada: TestUser;
let group: number;
let project: number;
const written: string[] = [];
const spies: jest.SpyInstance[] = [];

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    spies.push(
      jest.spyOn(stream, 'write').mockImplementation((...args: unknown[]) => {
        written.push(String(args[0]));
        return write(...args);
      }),
    );
  }
  running = await runGroups();
  ada = await running.user('ada');
});
afterAll(async () => {
  for (const spy of spies) spy.mockRestore();
  await running.close();
});

const { newGroup, newProject } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  group = (await newGroup(ada, `team${round}`)).id;
  project = (await newProject(ada, group, 'code')).id;
});

type Place = Target | 'instance';
const parentOf = (place: Place) =>
  place === 'instance'
    ? { groupId: 0, projectId: 0 }
    : 'group' in place
      ? { groupId: place.group, projectId: 0 }
      : { groupId: 0, projectId: place.project };
const componentOf = (place: Place) => (place === 'instance' ? 'InstanceVariable' : 'Variable');
const targetOf = (place: Place) => (place === 'instance' ? undefined : place);
const client = () => running.as(ada, VariableServiceService);

const create = (place: Place, key: string, given: Partial<CreateVariableRequest> = {}) =>
  shown(
    componentOf(place),
    client().createVariable(
      CreateVariableRequest.fromPartial({
        parent: parentOf(place),
        key,
        value: `${canary}-${key}`,
        variableType: 'env_var',
        ...given,
      }),
      targetOf(place),
    ),
  );
const update = (place: Place, key: string, given: Partial<UpdateVariableRequest>) =>
  shown(
    componentOf(place),
    client().updateVariable(
      UpdateVariableRequest.fromPartial({ parent: parentOf(place), key, ...given }),
      targetOf(place),
    ),
  );
const get = (place: Place, key: string, environmentScope?: string) =>
  shown(componentOf(place), client().getVariable({ parent: parentOf(place), key, environmentScope }, targetOf(place)));
const list = (place: Place, page = pageOf({ perPage: 100 })) =>
  shown(componentOf(place), client().listVariables({ parent: parentOf(place), page }, targetOf(place)));
const remove = (place: Place, key: string, environmentScope?: string, ifUnmodifiedSince?: Date) =>
  client().deleteVariable({ parent: parentOf(place), key, environmentScope, ifUnmodifiedSince }, targetOf(place));
const resolve = async (given: Partial<ResolveVariablesRequest> = {}): Promise<Record<string, unknown>> => {
  const { variables } = await running
    .asService('merge-requests', VariableServiceService)
    .resolveVariables({ projectId: project, protectedRef: false, environment: '', withHidden: false, ...given });
  return Object.fromEntries(variables.map(({ key, value, source }) => [key, `${value} of ${source}`]));
};
const stored = (key: string) =>
  running.db.one<{ id: number; value: Buffer }>(sql`select id, value from variables where key = ${key} order by id`);

const places: [string, () => Place][] = [
  ['a group', () => ({ group })],
  ['a project', () => ({ project })],
  ['the instance', () => 'instance'],
];

describe.each(places)('variables of %s', (_, at) => {
  test('G-4.3-1 … G-4.3-5: are created, listed, shown, changed and deleted', async () => {
    const place = at();
    const key = `LIFE_${round}`;
    const made = await create(place, `  ${key} `, { description: 'why', isProtected: true, raw: true });
    expect(made).toMatchObject({
      key,
      value: `${canary}-  ${key} `,
      variable_type: 'env_var',
      protected: true,
      masked: false,
      raw: true,
      description: 'why',
      ...(place === 'instance' ? {} : { hidden: false, environment_scope: '*' }),
    });
    expect(await get(place, key)).toEqual(made);
    expect(await list(place)).toEqual([made]);
    const changed = await update(place, key, {
      value: `${canary}\n$X`,
      variableType: 'file',
      isProtected: false,
      raw: false,
      removeDescription: true,
    });
    expect(changed).toEqual({
      ...made,
      value: `${canary}\n$X`,
      variable_type: 'file',
      protected: false,
      raw: false,
      description: null,
    });
    expect(await get(place, key)).toEqual(changed);
    expect((await stored(key))?.value.includes(canary)).toBe(false);
    expect(await refusal(remove(place, key, undefined, new Date(0)))).toMatchObject({ kind: 'precondition_failed' });
    expect(await remove(place, key, undefined, new Date(Date.now() + 60_000))).toMatchObject({ status: 204 });
    const name = place === 'instance' ? 'Instance Variable' : 'group' in place ? 'GroupVariable' : 'Variable';
    for (const call of [get, remove, (...given: [Place, string]) => update(...given, { value: 'x' })]) {
      expect(await refusal(call(place, key))).toEqual({ kind: 'not_found', message: `404 ${name} Not Found` });
    }
  });

  test('G-4.3-7: a key is taken once, also for ten who create it at once', async () => {
    const place = at();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => create(place, `TAKEN_${round}`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const message = { key: [`(TAKEN_${round}) has already been taken`] };
    expect(await refusal(create(place, `TAKEN_${round}`))).toEqual({ kind: 'invalid', message });
    expect(await refusal(create(place, `TAKEN_${round}`, { value: 'short', masked: true }))).toEqual({
      kind: 'invalid',
      message: { ...message, value: ['is invalid'] },
    });
    await remove(place, `TAKEN_${round}`);
  });

  test('G-4.3-12: the last place is given once, and one more is refused', async () => {
    const place = at();
    const [limit, name] =
      place === 'instance'
        ? [25, 'ci instance level variables']
        : 'group' in place
          ? [30_000, 'group ci variables']
          : [8_000, 'project ci variables'];
    const { groupId, projectId } = parentOf(place);
    await running.db.query(sql`
      insert into variables (namespace_id, project_id, key, value, variable_type)
      select ${groupId || null}::bigint, ${projectId || null}::bigint, 'FILLED_' || number, '', 'env_var'
      from generate_series(1, ${limit - 1}) as number`);
    const results = await Promise.allSettled([create(place, 'LAST_A'), create(place, 'LAST_B')]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(create(place, 'ONE_MORE'))).toEqual({
      kind: 'invalid',
      message: { base: [`Maximum number of ${name} (${limit}) exceeded`] },
    });
    await running.db.query(sql`delete from variables where value = '' or key like 'LAST_%'`);
  });
});

test('G-4.3-2, G-4.3-4: of several scopes the filter names one', async () => {
  const place = { group };
  await create(place, 'HOST', { environmentScope: 'production' });
  await create(place, 'HOST', { environmentScope: 'review/*', value: `${canary} 2` });
  const message = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
  expect(await refusal(get(place, 'HOST'))).toEqual({ kind: 'conflict', message });
  expect(await refusal(remove(place, 'HOST'))).toEqual({ kind: 'conflict', message });
  expect(await get(place, 'HOST', 'review/*')).toMatchObject({ value: `${canary} 2` });
  expect(await refusal(get(place, 'HOST', 'review/1'))).toMatchObject({ kind: 'not_found' });
  expect(await update(place, 'HOST', { value: 'first' })).toMatchObject({ environment_scope: 'production' });
  expect(await update(place, 'HOST', { value: 'second', ofScope: 'review/*' })).toMatchObject({
    environment_scope: 'review/*',
  });
  expect(await refusal(update(place, 'HOST', { environmentScope: 'review/*' }))).toEqual({
    kind: 'invalid',
    message: { key: ['(HOST) has already been taken'] },
  });
  expect(await update(place, 'HOST', { environmentScope: 'production' })).toMatchObject({ value: 'first' });
  await remove(place, 'HOST', 'production');
  expect(await get(place, 'HOST')).toMatchObject({ value: 'second' });
});

test('G-4.3-10, G-2-24: a hidden variable is masked, shows no value, and stays hidden', async () => {
  const place = { group };
  const made = await create(place, 'SECRET', { maskedAndHidden: true });
  expect(made).toMatchObject({ masked: true, hidden: true, value: null });
  expect(await get(place, 'SECRET')).toEqual(made);
  expect(await list(place)).toEqual([made]);
  const message = { base: ['The visibility setting cannot be changed for masked and hidden variables.'] };
  for (const change of [{ masked: false }, { maskedAndHidden: false }]) {
    expect(await refusal(update(place, 'SECRET', change))).toEqual({ kind: 'invalid', message });
  }
  const value = `${canary}-changed`;
  expect(await update(place, 'SECRET', { value, masked: true, maskedAndHidden: true })).toEqual(made);
  expect(await resolve({ withHidden: true })).toMatchObject({ SECRET: `${value} of group` });
  expect(await resolve()).toMatchObject({ SECRET: 'undefined of group' });
  await create(place, 'PLAIN');
  expect(await refusal(update(place, 'PLAIN', { maskedAndHidden: true }))).toEqual({
    kind: 'invalid',
    message: { base: ['Only new variables can be set as masked and hidden.'] },
  });
  expect(await refusal(create(place, 'SHORT', { value: 'short', maskedAndHidden: true }))).toEqual({
    kind: 'invalid',
    message: { value: ['is invalid'] },
  });
});

test('G-4.3-8, G-4.3-9: a masked variable stays one that can be masked', async () => {
  const place = { project };
  await create(place, 'MASKED', { value: `${canary}$!`, masked: true, raw: true });
  expect(await refusal(update(place, 'MASKED', { raw: false }))).toMatchObject({ message: { value: ['is invalid'] } });
  expect(await refusal(update(place, 'MASKED', { value: 'short' }))).toMatchObject({ kind: 'invalid' });
  expect(await update(place, 'MASKED', { masked: false, value: 'short', raw: false })).toMatchObject({
    value: 'short',
  });
  expect(await refusal(update(place, 'MASKED', { masked: true }))).toMatchObject({ kind: 'invalid' });
});

test('G-4.3-13: groups of the Free tier have one scope, projects keep theirs', async () => {
  await running.db.query(sql`update namespaces set tier = 'free' where id = ${group}`);
  expect(await create({ group }, 'SCOPED', { environmentScope: 'production' })).toMatchObject({
    environment_scope: '*',
  });
  expect(await update({ group }, 'SCOPED', { environmentScope: 'production' })).toMatchObject({
    environment_scope: '*',
  });
  expect(await create({ project }, 'SCOPED', { environmentScope: 'production' })).toMatchObject({
    environment_scope: 'production',
  });
});

test('a list takes two statements whatever its length, by offset and by keyset', async () => {
  const ring = keyring([deriveKey(secret, 'switchyard secrets of groups-admin')]);
  const store = variableStore(running.db, ring);
  const statements: number[] = [];
  for (const count of [2, 40]) {
    for (let number = 0; number < count; number += 1) await create({ group }, `N${count}_${number}`);
    const request = { mode: 'offset', page: 1, perPage: 100, sort: 'asc', orderBy: 'id' } as const;
    const cost = await countStatements(() => store.list({ kind: 'group', id: group }, request));
    statements.push(cost.statements);
  }
  expect(statements).toEqual([2, 2]);
  const first = await client().listVariables(
    { parent: parentOf({ group }), page: pageOf({ keyset: true, perPage: 30 }) },
    { group },
  );
  const second = await list({ group }, pageOf({ keyset: true, perPage: 30, cursor: first.page?.nextCursor ?? '' }));
  expect(second).toHaveLength(12);
});

test('a pipeline gets the nearest of project, groups and instance, and of these the best scope', async () => {
  const sub = (await newGroup(ada, 'sub', { parentId: group })).id;
  project = (await newProject(ada, sub, 'deep')).id;
  const foreign = (await newProject(ada, group, 'beside')).id;
  await create('instance', `A_${round}`, { value: 'instance' });
  await create('instance', `I_${round}`, { value: 'instance' });
  await create({ group }, `A_${round}`, { value: 'top' });
  await create({ group }, 'G', { value: 'top' });
  await create({ group }, 'S', { value: 'exact of the top', environmentScope: 'review/1' });
  await create({ group: sub }, 'G', { value: 'sub' });
  await create({ project }, `A_${round}`, { value: 'project' });
  for (const [environmentScope, value] of [
    ['*', 'every'],
    ['review/*', 'wildcard'],
    ['*/1', 'short wildcard'],
    ['review/1', 'exact'],
    ['production', 'production'],
    ['rev_ew/2', 'no pattern of SQL'],
  ]) {
    await create({ project }, 'S', { value, environmentScope });
  }
  await create({ project }, 'P', { value: 'protected', isProtected: true });
  await create({ group }, 'P', { value: 'open' });
  await create({ project: foreign }, 'F', { value: 'of another' });
  const inherited = { [`A_${round}`]: 'project of project', [`I_${round}`]: 'instance of instance', G: 'sub of group' };
  expect(await resolve()).toEqual({ ...inherited, S: 'every of project', P: 'open of group' });
  expect(await resolve({ protectedRef: true })).toMatchObject({ P: 'protected of project' });
  for (const [environment, value] of [
    ['review/1', 'exact'],
    ['review/2', 'wildcard'],
    ['staging/1', 'short wildcard'],
    ['staging', 'every'],
    ['production', 'production'],
    ['rev_ew/2', 'no pattern of SQL'],
  ]) {
    expect([environment, (await resolve({ environment })).S]).toEqual([environment, `${value} of project`]);
  }
  expect(await resolve({ projectId: 999_999 })).toEqual({});
  await running.db.query(sql`delete from variables where namespace_id is null and project_id is null`);
});

test('only merge-requests resolves variables', async () => {
  const request = { projectId: project, protectedRef: true, environment: '', withHidden: true };
  expect(await refusal(client().resolveVariables(request))).toMatchObject({ kind: 'forbidden' });
});

/** The refusal to show variables without their values. */
const lost = (...keys: string[]) => ({
  kind: 'internal',
  message: `500 Internal Server Error - cannot be decrypted: ${keys.join(', ')}; give each a new value, or delete it`,
});

test('D7: a value that was moved to another row is not read', async () => {
  await create({ group }, 'MINE');
  await create({ group }, 'OTHER');
  const other = await stored('OTHER');
  await running.db.query(
    sql`update variables set value = ${other?.value} where key = 'MINE' and namespace_id = ${group}`,
  );
  expect(await refusal(get({ group }, 'MINE'))).toEqual(lost('MINE'));
});

test('a variable whose key was lost is not shown as an empty one; it gets another value, or is deleted', async () => {
  const gone = keyring([deriveKey('a secret that no one has any more', 'test')]);
  const spoil = async (key: string) => {
    const row = await stored(key);
    const identity = `variable ${row?.id} of group ${group}, project 0: ${key}`;
    await running.db.query(
      sql`update variables set value = ${gone.encrypt(identity, canary)} where id = ${row?.id ?? 0}`,
    );
  };
  for (const key of ['GOOD', 'LOST_ONE', 'LOST_TWO']) await create({ group }, key);
  for (const key of ['LOST_ONE', 'LOST_TWO']) await spoil(key);
  await create({ group }, 'HIDDEN', { maskedAndHidden: true });
  await spoil('HIDDEN');
  const logged = jest.spyOn(logger, 'error').mockReturnValue(undefined);
  expect(await refusal(list({ group }))).toEqual(lost('LOST_ONE', 'LOST_TWO'));
  const ids = await Promise.all(['LOST_ONE', 'LOST_TWO'].map(async (key) => (await stored(key))?.id));
  expect(logged).toHaveBeenCalledTimes(1);
  expect(logged.mock.calls[0]?.[0]).toMatchObject({
    err: { cause: { message: `variables ${ids.join(', ')} cannot be decrypted` } },
  });
  expect(await refusal(get({ group }, 'LOST_ONE'))).toEqual(lost('LOST_ONE'));
  expect(await get({ group }, 'GOOD')).toMatchObject({ value: `${canary}-GOOD` });
  // Its value is never shown, so nothing is missing; a pipeline needs it.
  expect(await get({ group }, 'HIDDEN')).toMatchObject({ value: null, hidden: true });
  expect(await refusal(resolve())).toEqual(lost('LOST_ONE', 'LOST_TWO'));
  expect(await refusal(resolve({ withHidden: true }))).toEqual(lost('HIDDEN', 'LOST_ONE', 'LOST_TWO'));
  await remove({ group }, 'HIDDEN');
  logged.mockClear();
  expect(await refusal(update({ group }, 'LOST_ONE', { description: 'why' }))).toEqual({
    kind: 'invalid',
    message: { value: ['cannot be decrypted, and must be given'] },
  });
  expect(logged.mock.calls).toEqual([[expect.objectContaining({ variable: ids[0] }), expect.any(String)]]);
  logged.mockRestore();
  expect(await update({ group }, 'LOST_ONE', { value: `${canary} again` })).toMatchObject({ value: `${canary} again` });
  expect(await get({ group }, 'LOST_ONE')).toMatchObject({ value: `${canary} again` });
  await remove({ group }, 'LOST_TWO');
  expect(await list({ group })).toHaveLength(2);
  await create('instance', `LOST_${round}`);
  await running.db.query(sql`update variables set value = ${Buffer.from('unreadable')} where key = ${`LOST_${round}`}`);
  expect(await refusal(get('instance', `LOST_${round}`))).toEqual(lost(`LOST_${round}`));
  await remove('instance', `LOST_${round}`);
});

test('a pipeline with too many bytes of variables is refused before their values are read', async () => {
  await running.db.query(sql`
    insert into variables (project_id, key, value, variable_type)
    select ${project}::bigint, 'LARGE_' || number, decode(repeat('00', 10000), 'hex'), 'env_var' from generate_series(1, 6800) as number`);
  const store = variableStore(running.db, keyring([deriveKey(secret, 'switchyard secrets of groups-admin')]));
  const query = jest.spyOn(running.db, 'query');
  const request = { projectId: project, protectedRef: true, environment: undefined, withHidden: true };
  await expect(store.resolve(request)).rejects.toMatchObject({ kind: 'too_large' });
  expect(await query.mock.results[0]?.value).toHaveLength(1);
  query.mockRestore();
  await running.db.query(sql`delete from variables where project_id = ${project}`);
});

test('rotate-secrets encrypts all under the new key, and keeps what changes in the meantime', async () => {
  await running.db.query(sql`delete from variables`);
  for (const key of ['ONE', 'TWO', 'THREE']) await create({ group }, key);
  const before = await stored('ONE');
  const lines: string[] = [];
  const rotate = () =>
    rotateSecrets.run({ db: running.db, bus: () => ({}) as never, write: (line) => lines.push(line) }, [], {
      SWITCHYARD_SECRET: secret,
      SWITCHYARD_ENCRYPTION_SECRETS: newerSecret,
    });
  expect(await rotate()).toBe(0);
  const label = 'switchyard secrets of groups-admin';
  const [old, newer] = [secret, newerSecret].map((material) => deriveKey(material, label)) as [Buffer, Buffer];
  expect((await stored('ONE'))?.value.equals(before?.value ?? Buffer.alloc(0))).toBe(false);
  expect(await refusal(get({ group }, 'ONE'))).toEqual(lost('ONE'));
  const store = variableStore(running.db, keyring([newer]));
  const parent = { kind: 'group', id: group } as const;
  const one = await store.find(parent, { key: 'ONE', environmentScope: undefined });
  expect(one?.value).toBe(`${canary}-ONE`);
  // A replica that still encrypts with the old key; then the command runs again.
  const behind = variableStore(running.db, keyring([old, newer]));
  await behind.change({ parent, key: { key: 'TWO', environmentScope: undefined } }, (variable) => ({
    ...variable,
    value: 'changed',
  }));
  expect(await rotate()).toBe(0);
  expect((await store.find(parent, { key: 'TWO', environmentScope: undefined }))?.value).toBe('changed');
  const [first, second] = lines.filter((line) => line.startsWith('variables: '));
  expect(first).toMatch(/^variables: 3 encrypted with key [0-9a-f]{8}, 0 changed/);
  expect(second).toMatch(/^variables: 1 encrypted/);
  await running.db.query(sql`delete from variables`);
});

test('variables go with their project and their group', async () => {
  await create({ group }, 'OF_GROUP');
  await create({ project }, 'OF_PROJECT');
  await running.db.query(sql`update namespaces set marked_for_deletion_at = now() where id = ${group}`);
  while ((await running.purge()) > 0);
  expect(await running.db.query(sql`select 1 from variables where key in ('OF_GROUP', 'OF_PROJECT')`)).toEqual([]);
  expect(await refusal(create({ group }, 'LATE'))).toMatchObject({ kind: 'not_found' });
});

test('no value is in the logs, the outbox or the directory', async () => {
  await create({ group }, 'WATCHED', { masked: true });
  await refusal(create({ group }, 'WATCHED', { masked: true, value: `${canary} with blanks` }));
  const tables = await running.db.query<{ name: string }>(sql`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['events.outbox', 'public.directory_changes']));
  for (const { name } of tables) {
    const { rows } = await running.db.pool.query(`select count(*)::int as found from ${name} t
      where t::text like '%${canary}%' or t::text like '%${Buffer.from(canary).toString('hex')}%'`);
    expect([name, rows[0]?.found]).toEqual([name, 0]);
  }
  expect(written.join('')).not.toContain(canary);
});
