import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import fc from 'fast-check';
import { locateProject } from '../../src/directory/application/locate-project';
import { type ResolveAccess, resolveAccess } from '../../src/directory/application/resolve-access';
import { accessStore } from '../../src/directory/storage/access.store';
import { machineTokenStore } from '../../src/directory/storage/machine-token.store';
import { memberGroups, memberProjects, visibleGroups, visibleProjects } from '../../src/directory/storage/viewer';
import { service } from '../../src/service';
import { presentedDigest, tokenDigest } from '../../src/tokens/application/token';

let server: TestDatabase;
let db: Database;
let resolve: ResolveAccess;
const digest = tokenDigest(Buffer.alloc(32, 42));

beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
  resolve = resolveAccess({
    store: { ...accessStore(db), ...machineTokenStore(db) },
    digestOf: presentedDigest(digest, undefined),
    tier: 'premium',
  });
});

afterAll(async () => {
  await db.close();
  await server.close();
});

beforeEach(() =>
  db.query(sql`truncate memberships, group_shares, projects, namespaces, personal_access_tokens, users, redirect_routes
    restart identity cascade`),
);

type Visibility = 'public' | 'internal' | 'private';
const hidden = new Date();

const insertUser = async (username: string, { admin = false, external = false } = {}): Promise<number> => {
  const row = await db.one<{ id: number }>(sql`
    insert into users (username, name, email, admin, external)
    values (${username}, ${username}, ${`${username}@example.com`}, ${admin}, ${external}) returning id`);
  await db.query(sql`
    insert into personal_access_tokens (user_id, name, token_digest, scopes)
    values (${row?.id}, 't', ${digest(tokenOf(username))}, '{api}')`);
  return row?.id ?? 0;
};

const tokenOf = (username: string): string => `the token of user ${username}, long enough`;

async function insertNamespace(
  path: string,
  given: { parent?: number; visibility?: Visibility; owner?: number; deleting?: boolean; tier?: string } = {},
): Promise<number> {
  const { parent, visibility = 'private', owner, deleting = false, tier } = given;
  const row = await db.one<{ id: number }>(sql`
    with next as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id),
    above as (select ancestry, full_path from namespaces where id = ${parent ?? null})
    insert into namespaces (id, kind, name, path, parent_id, ancestry, full_path, full_name, visibility, owner_id, tier, marked_for_deletion_at)
    select next.id, ${owner === undefined ? 'group' : 'user'}, ${path}, ${path}, ${parent ?? null},
      coalesce((select ancestry from above), '{}') || next.id, coalesce((select full_path || '/' from above), '') || ${path}::text,
      ${path}, ${visibility}, ${owner ?? null}, ${tier ?? null}, ${deleting ? hidden : null}
    from next returning id`);
  return row?.id ?? 0;
}

async function insertProject(
  path: string,
  namespace: number,
  given: { visibility?: Visibility; deleting?: boolean; archived?: boolean } = {},
): Promise<number> {
  const { visibility = 'private', deleting = false, archived = false } = given;
  const row = await db.one<{ id: number }>(sql`
    insert into projects (namespace_id, name, path, visibility, archived, marked_for_deletion_at)
    values (${namespace}, ${path}, ${path}, ${visibility}, ${archived}, ${deleting ? hidden : null}) returning id`);
  return row?.id ?? 0;
}

const addMember = (user: number, where: { group?: number; project?: number }, level: number, expiresAt?: Date) =>
  db.query(sql`
    insert into memberships (user_id, namespace_id, project_id, access_level, expires_at)
    values (${user}, ${where.group ?? null}, ${where.project ?? null}, ${level}, ${expiresAt ?? null})
    on conflict do nothing`);

const addShare = (invited: number, where: { group?: number; project?: number }, level: number, expiresAt?: Date) =>
  db.query(sql`
    insert into group_shares (group_id, namespace_id, project_id, access_level, expires_at)
    values (${invited}, ${where.group ?? null}, ${where.project ?? null}, ${level}, ${expiresAt ?? null})
    on conflict do nothing`);

const ask = (username: string | undefined, target: NonNullable<ResolveRequest['target']>, packages?: boolean) => {
  const token = username === undefined ? '' : tokenOf(username);
  return resolve(ResolveRequest.fromPartial({ token, target, packages, address: '10.0.0.1' }));
};
const project = (value: string | number) => ({ $case: 'project', value: String(value) }) as const;
const group = (value: string | number) => ({ $case: 'group', value: String(value) }) as const;

describe('a project', () => {
  it('is found by id and by full path whatever the case, in two statements', async () => {
    const ada = await insertUser('ada');
    const top = await insertNamespace('Top', { tier: 'ultimate' });
    const sub = await insertNamespace('Sub', { parent: top });
    const id = await insertProject('Pro.ject', sub, { archived: true });
    await addMember(ada, { group: top }, 20);
    await addMember(ada, { project: id }, 30);
    const { result, statements } = await countStatements(() => ask('ada', project(id)));
    expect(result.access).toEqual({
      kind: expect.anything(),
      id,
      fullPath: 'Top/Sub/Pro.ject',
      visibility: 'private',
      level: 30,
      tier: 'ultimate',
      archived: true,
    });
    // The third notes that the token was used for the first time.
    expect(statements).toBeLessThanOrEqual(2);
    expect((await ask('ada', project('top/SUB/pro.ject'))).access?.id).toBe(id);
    expect((await ask('ada', project('Pro.ject'))).access).toBeUndefined();
    expect((await ask('ada', project('99999999999999999999'))).access).toBeUndefined();
    expect((await ask('ada', project("x'/y\0"))).access).toBeUndefined();
  });

  it('in a user’s own namespace is theirs', async () => {
    const ada = await insertUser('ada');
    await insertUser('bob');
    const id = await insertProject('mine', await insertNamespace('ada', { owner: ada, visibility: 'public' }));
    expect((await ask('ada', project('ada/mine'))).access).toMatchObject({ id, level: 50, tier: 'premium' });
    expect((await ask('bob', project(id))).access).toBeUndefined();
    expect((await ask('ada', group('ada'))).access).toBeUndefined();
  });

  it('stops being visible when the membership ends, and the answer says when', async () => {
    const ada = await insertUser('ada');
    const top = await insertNamespace('top');
    const id = await insertProject('p', top);
    const end = new Date(Date.now() + 3_600_000);
    await addMember(ada, { project: id }, 30, end);
    const { access, validUntil } = await ask('ada', project(id));
    expect(access?.level).toBe(30);
    expect(validUntil).toBe(Math.round(end.getTime() / 1_000));
    await db.query(sql`update memberships set expires_at = now() - interval '1 second'`);
    expect((await ask('ada', project(id))).access).toBeUndefined();
  });

  it('is reached by a share of it or of a group above, until that ends or the invited group is gone', async () => {
    const ada = await insertUser('ada');
    const top = await insertNamespace('top');
    const invited = await insertNamespace('invited');
    const below = await insertNamespace('below', { parent: invited });
    const id = await insertProject('p', await insertNamespace('sub', { parent: top }));
    await addMember(ada, { group: invited }, 40);
    const end = new Date(Date.now() + 3_600_000);
    await addShare(below, { group: top }, 30, end);
    const level = async () => (await ask('ada', project(id))).access?.level;
    expect(await level()).toBe(30);
    expect((await ask('ada', project(id))).validUntil).toBe(Math.round(end.getTime() / 1_000));
    await addShare(below, { project: id }, 50);
    expect(await level()).toBe(40);
    await db.query(sql`update namespaces set marked_for_deletion_at = now() where id = ${invited}`);
    expect(await level()).toBeUndefined();
    await db.query(sql`update namespaces set marked_for_deletion_at = null`);
    await db.query(sql`update group_shares set expires_at = now() - interval '1 second' where project_id is not null`);
    expect(await level()).toBe(30);
    await db.query(sql`update group_shares set expires_at = now() - interval '1 second'`);
    expect((await ask('ada', group(top))).access).toBeUndefined();
    expect(await level()).toBeUndefined();
  });

  it('is located by its path, present or former, for a service that requests it on no one’s behalf', async () => {
    const locate = locateProject(accessStore(db));
    const top = await insertNamespace('Top');
    const id = await insertProject('Here', top);
    await db.query(sql`insert into redirect_routes (path, project_id) values ('top/was', ${id})`);
    for (const path of ['Top/Here', 'top/here', 'TOP/Was']) expect((await locate(path)).projectId).toBe(id);
    const deleted = await insertProject('gone', top, { deleting: true });
    await db.query(sql`insert into redirect_routes (path, project_id) values ('top/went', ${deleted})`);
    for (const path of [
      'top/gone',
      'top/went',
      'top/none',
      'top',
      String(id),
      'a\0/b',
      '\ud800/b',
      'a/'.repeat(4_000),
    ]) {
      expect((await locate(path)).projectId).toBe(0);
    }
  });

  it('that moved is shown to those who see it', async () => {
    const ada = await insertUser('ada');
    await insertUser('bob');
    const top = await insertNamespace('new');
    const id = await insertProject('now', top);
    await addMember(ada, { project: id }, 30);
    await db.query(
      sql`insert into redirect_routes (path, namespace_id, project_id) values ('old', ${top}, null), ('new/was', null, ${id})`,
    );
    for (const path of ['old/now', 'new/was', 'OLD/was']) {
      expect(await ask('ada', project(path))).toMatchObject({ movedTo: id, access: undefined });
      expect((await ask('bob', project(path))).movedTo).toBe(0);
    }
    const again = await insertProject('was', top);
    await addMember(ada, { project: again }, 10);
    expect(await ask('ada', project('new/was'))).toMatchObject({ movedTo: 0, access: { id: again } });
    expect((await ask('ada', group('old'))).movedTo).toBe(top);
  });
});

it('with public packages is found by all who read these, with all else closed to them (G-4.17-8)', async () => {
  const ada = await insertUser('ada');
  await insertUser('bob');
  const id = await insertProject('p', await insertNamespace('top'));
  await addMember(ada, { project: id }, 10);
  const setLevel = (level: string) =>
    db.query(sql`update projects set feature_access_levels = ${JSON.stringify({ package_registry: level })}::jsonb`);
  for (const level of ['enabled', 'private', 'disabled']) {
    await setLevel(level);
    for (const who of ['bob', undefined]) expect((await ask(who, project(id), true)).access).toBeUndefined();
  }
  await setLevel('public');
  for (const who of ['bob', undefined]) {
    expect((await ask(who, project(id))).access).toBeUndefined();
    const { access } = await ask(who, project(id), true);
    expect(access).toMatchObject({ id, level: 0, visibility: 'private', packagesPublic: true });
    const open = Object.entries(access?.closed ?? {}).filter(([, closed]) => !closed);
    expect(open.map(([feature]) => feature)).toEqual(['packages', 'mergeRequestsDisabled']);
  }
  expect((await ask('ada', project(id))).access).toMatchObject({ level: 10, packagesPublic: true, closed: undefined });
  await db.query(sql`update projects set marked_for_deletion_at = now()`);
  expect((await ask('bob', project(id), true)).access).toBeUndefined();
});

describe('what an actor sees', () => {
  const visibilities = fc.constantFrom<Visibility>('public', 'internal', 'private');
  const group$ = fc.record({
    parent: fc.nat(6),
    visibility: visibilities,
    deleting: fc.constantFrom(false, false, false, true),
  });
  const project$ = fc.record({
    parent: fc.nat(6),
    visibility: visibilities,
    deleting: fc.constantFrom(false, false, false, true),
  });
  const member$ = fc.record({
    user: fc.nat(3),
    at: fc.nat(12),
    level: fc.constantFrom(5, 10, 15, 20, 30, 40, 50),
    expired: fc.constantFrom(false, false, true),
  });
  const share$ = fc.record({
    invited: fc.nat(6),
    at: fc.nat(12),
    level: fc.constantFrom(10, 15, 20, 30, 40, 50),
    expired: fc.constantFrom(false, false, false, true),
  });
  const model$ = fc.record({
    groups: fc.array(group$, { minLength: 1, maxLength: 6 }),
    projects: fc.array(project$, { minLength: 1, maxLength: 6 }),
    members: fc.array(member$, { maxLength: 10 }),
    shares: fc.array(share$, { maxLength: 8 }),
  });

  it('is the same by one look-up, by the lists, and by the rules written out', async () => {
    await fc.assert(
      fc.asyncProperty(model$, async (model) => {
        await db.query(
          sql`truncate memberships, group_shares, projects, namespaces, personal_access_tokens, users restart identity cascade`,
        );
        const users = [
          { name: 'plain', admin: false, external: false },
          { name: 'other', admin: false, external: false },
          { name: 'guest', admin: false, external: true },
          { name: 'admin', admin: true, external: false },
        ];
        const userIds: number[] = [];
        for (const user of users) userIds.push(await insertUser(user.name, user));
        const groups: { id: number; ancestry: number[]; visibility: Visibility; deleting: boolean }[] = [];
        for (const [at, { parent, visibility, deleting }] of model.groups.entries()) {
          const above = groups[parent];
          const id = await insertNamespace(`g${at}`, { parent: above?.id, visibility, deleting });
          const hiddenAbove = above?.deleting ?? false;
          groups.push({
            id,
            ancestry: [...(above?.ancestry ?? []), id],
            visibility,
            deleting: deleting || hiddenAbove,
          });
        }
        const projects: { id: number; group: (typeof groups)[number]; visibility: Visibility; deleting: boolean }[] =
          [];
        for (const [at, { parent, visibility, deleting }] of model.projects.entries()) {
          const above = groups[parent % groups.length]!;
          const id = await insertProject(`p${at}`, above.id, { visibility, deleting });
          projects.push({ id, group: above, visibility, deleting: deleting || above.deleting });
        }
        const members: { user: number; group?: number; project?: number; level: number }[] = [];
        const taken = new Set<string>();
        for (const { user, at, level, expired } of model.members) {
          const where =
            at < 6 ? { group: groups[at % groups.length]!.id } : { project: projects[at % projects.length]!.id };
          const key = JSON.stringify([user, where]);
          if (taken.has(key)) continue;
          taken.add(key);
          await addMember(userIds[user]!, where, level, expired ? new Date(0) : undefined);
          if (!expired) members.push({ user, level, ...where });
        }
        const direct = [...members];
        const shared = new Set<string>();
        for (const { invited, at, level, expired } of model.shares) {
          const from = groups[invited % groups.length]!;
          const where =
            at < 6 ? { group: groups[at % groups.length]!.id } : { project: projects[at % projects.length]!.id };
          const key = JSON.stringify([from.id, where]);
          if (where.group === from.id || shared.has(key)) continue;
          shared.add(key);
          await addShare(from.id, where, level, expired ? new Date(0) : undefined);
          if (expired || from.deleting) continue;
          // Members of the invited group alone: what is shared with it in turn reaches no further.
          const invitees = direct.filter(({ group }) => group !== undefined && from.ancestry.includes(group));
          members.push(...invitees.map((one) => ({ user: one.user, level: Math.min(one.level, level), ...where })));
        }
        const open = (visibility: Visibility, at: number): boolean =>
          visibility === 'public' || (visibility === 'internal' && at < users.length && !users[at]!.external);
        // One user more than there are: no one.
        for (let at = 0; at <= users.length; at += 1) {
          const user = users[at];
          const viewer = { userId: userIds[at] ?? 0, admin: user?.admin ?? false, external: user?.external ?? false };
          const levelIn = (ancestry: number[], projectId?: number): number =>
            Math.max(
              0,
              ...members
                .filter(
                  (member) =>
                    member.user === at &&
                    (member.group !== undefined ? ancestry.includes(member.group) : member.project === projectId),
                )
                .map(({ level }) => level)
                .filter((level) => projectId === undefined || level >= 10),
            );
          const below = (id: number): boolean =>
            members.some((member) => {
              if (member.user !== at) return false;
              const inside =
                member.group !== undefined
                  ? groups.find((found) => found.id === member.group)
                  : projects.find((found) => found.id === member.project && !found.deleting)?.group;
              return inside !== undefined && !inside.deleting && inside.ancestry.includes(id);
            });
          const seenProjects = projects.filter((found) => {
            const level = levelIn(found.group.ancestry, found.id);
            return !found.deleting && (viewer.admin || level > 0 || open(found.visibility, at));
          });
          const seenGroups = groups.filter((found) => {
            const level = levelIn(found.ancestry);
            return !found.deleting && (viewer.admin || level > 0 || below(found.id) || open(found.visibility, at));
          });
          for (const found of projects) {
            const { access } = await ask(user?.name, project(found.id));
            expect([found.id, access?.level]).toEqual([
              found.id,
              seenProjects.includes(found) ? (viewer.admin ? 50 : levelIn(found.group.ancestry, found.id)) : undefined,
            ]);
          }
          for (const found of groups) {
            const { access } = await ask(user?.name, group(found.id));
            expect([found.id, access?.level]).toEqual([
              found.id,
              seenGroups.includes(found) ? (viewer.admin ? 50 : levelIn(found.ancestry)) : undefined,
            ]);
          }
          const listedProjects = await db.query<{ id: number }>(sql`
            select p.id from projects p join namespaces n on n.id = p.namespace_id where ${visibleProjects(viewer)} order by p.id`);
          expect(listedProjects.map(({ id }) => id)).toEqual(seenProjects.map(({ id }) => id));
          const inProjects = await db.query<{ id: number }>(sql`
            select p.id from projects p where ${memberProjects(viewer, 30)} order by p.id`);
          expect(inProjects.map(({ id }) => id)).toEqual(
            projects.filter((found) => levelIn(found.group.ancestry, found.id) >= 30).map(({ id }) => id),
          );
          const listedGroups = await db.query<{ id: number }>(sql`
            select n.id from namespaces n where n.kind = 'group' and ${visibleGroups(viewer)} order by n.id`);
          expect(listedGroups.map(({ id }) => id)).toEqual(seenGroups.map(({ id }) => id));
          const inGroups = await db.query<{ id: number }>(sql`
            select n.id from namespaces n where n.kind = 'group' and ${memberGroups(viewer, 30)} order by n.id`);
          expect(inGroups.map(({ id }) => id)).toEqual(
            groups.filter((found) => levelIn(found.ancestry) >= 30).map(({ id }) => id),
          );
        }
      }),
      { numRuns: 12 },
    );
  });
});
