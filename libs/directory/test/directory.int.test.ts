import { sql } from '@switchyard/database/sql';
import { unavailable } from '@switchyard/errors';
import { DirectoryProjectSettings } from '@switchyard/protos/groups_admin/v1/directory';
import { logger } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import * as fc from 'fast-check';
import {
  accessLevel,
  codeRule,
  directoryFormat,
  memberProjects,
  membersAtLevel,
  type ProjectRule,
  packageRule,
  projectsFrom,
  startDirectory,
  usersAtLevel,
  usersWhoSee,
  type Viewer,
  visibleNamespaces,
  visibleProjects,
} from '../src';
import { readState } from '../src/state';
import { directoryHarness } from './directory-harness';

const { db, open, follow, caughtUp } = directoryHarness();

const viewer = (user: { id: number; admin: boolean; external: boolean }) => ({
  userId: user.id,
  admin: user.admin,
  external: user.external,
});

const anonymous = { userId: 0, admin: false, external: false };

async function seen(who: typeof anonymous): Promise<number[]> {
  const rows = await db().query<{ id: number }>(
    sql`select p.id from ${projectsFrom} where ${visibleProjects(who)} order by p.id`,
  );
  return rows.map((row) => row.id);
}

describe('the replica', () => {
  it('fills itself from a snapshot and follows', async () => {
    const model = new DirectoryModel();
    const user = model.user();
    const directory = await follow(model);
    const group = model.namespace();
    model.member(user.id, { namespaceId: group.id }, 30);
    const project = model.project(group.id);
    await eventually(async () => expect(await seen(viewer(user))).toEqual([project.id]));
    await eventually(() => expect(directory.sequence()).toBe(model.changes.length));
    expect(model.calls.snapshot).toBe(1);
  });

  it('lets a caller read what was written before, and refuses with 503 when it cannot', async () => {
    const model = new DirectoryModel();
    model.user();
    const directory = await follow(model, 30_000);
    const protection = {
      pushAccessLevel: 30,
      mergeAccessLevel: 60,
      allowForcePush: true,
      developerCanInitialPush: false,
    };
    const group = model.namespace({ visibility: 'public', defaultBranchProtection: protection });
    await caughtUp(directory, model);
    expect(await db().query(sql`select id, default_branch_protection as protection from directory.namespaces`)).toEqual(
      [{ id: group.id, protection }],
    );
    const started = Date.now();
    await expect(directory.ensure(model.changes.length + 1)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it('is shared by several processes of a service, which apply each change once', async () => {
    const model = new DirectoryModel();
    model.user();
    const replicas = [await follow(model), await follow(model), await follow(model)];
    expect((await db().query(sql`select generation from directory.state`))[0]).toEqual({ generation: 1 });
    for (let round = 0; round < 30; round += 1) {
      model.namespace();
      await Promise.all(replicas.map((one) => one.ensure(model.changes.length)));
    }
    expect((await db().query(sql`select sequence from directory.state`))[0]).toEqual({
      sequence: model.changes.length,
    });
    expect((await db().query(sql`select count(*) as count from directory.namespaces`))[0]).toEqual({ count: 30 });
  });

  it('pulls once for many callers who are behind', async () => {
    const model = new DirectoryModel();
    model.user();
    const directory = await quiet(model, model.client.readChanges);
    model.namespace();
    model.calls.readChanges = 0;
    await Promise.all(Array.from({ length: 50 }, () => directory.ensure(model.changes.length)));
    expect(model.calls.readChanges).toBeLessThanOrEqual(2);
    expect(directory.sequence()).toBe(model.changes.length);
  });

  /**
   * A replica that has been filled; only callers who are behind make it pull, and `answering` says how the owner does.
   */
  async function quiet(model: DirectoryModel, answering: DirectoryModel['client']['readChanges']) {
    await (await follow(model, 30_000)).close();
    const readChanges: typeof answering = (request, call) =>
      request.waitMs > 0
        ? new Promise((_settle, reject) =>
            call.signal?.addEventListener('abort', () => reject(unavailable('closed')), { once: true }),
          )
        : answering(request, call);
    const directory = await startDirectory({
      db: db(),
      client: { ...model.client, readChanges },
      pollMs: 30_000,
      log: logger,
    });
    open.push(directory);
    return directory;
  }

  it('waits for a busy owner, also when others request something newer in the meantime', async () => {
    const model = new DirectoryModel();
    model.user();
    model.calls.readChanges = 0;
    const directory = await quiet(model, async (request, call) => {
      const answer = await model.client.readChanges(request, call);
      await new Promise((settle) => setTimeout(settle, 700));
      return answer;
    });
    const asked: Promise<void>[] = [];
    for (let round = 0; round < 20; round += 1) {
      model.namespace();
      asked.push(directory.ensure(model.changes.length));
      await new Promise((settle) => setTimeout(settle, 50));
    }
    await Promise.all(asked);
    expect(directory.sequence()).toBe(model.changes.length);
  });

  it('gives up after half a second without an owner', async () => {
    const model = new DirectoryModel();
    model.user();
    let asked = 0;
    const directory = await quiet(model, async () => {
      asked += 1;
      throw unavailable('connection refused');
    });
    const started = Date.now();
    const ends = await Promise.allSettled(Array.from({ length: 60 }, () => directory.ensure(model.changes.length + 1)));
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'rejected'));
    expect(Date.now() - started).toBeLessThan(2_000);
    // One attempt at a time for all of them.
    expect(asked).toBeLessThan(60);
  });

  it('rebuilds when the changes it needs were pruned, while the owner goes on and readers read', async () => {
    const model = new DirectoryModel();
    const user = model.user();
    const directory = await follow(model);
    const namespace = model.namespace({ ownerId: user.id, kind: 'user' });
    model.project(namespace.id);
    await caughtUp(directory, model);
    await directory.close();
    const dropped = model.project(namespace.id);
    model.removeProject(dropped.id);
    model.retainedAfter = model.changes.length;
    model.duringSnapshot = () => model.project(namespace.id);
    let reading = true;
    const reader = (async () => {
      while (reading) expect((await seen(viewer(user))).length).toBeGreaterThanOrEqual(1);
    })();
    const again = await follow(model);
    await eventually(async () => expect(await seen(viewer(user))).toHaveLength(2));
    await eventually(() => expect(again.sequence()).toBe(model.changes.length));
    await again.rebuild();
    await again.rebuild();
    reading = false;
    await reader;
    expect(await seen(viewer(user))).toHaveLength(2);
    const leftovers = await db().query(
      sql`select 1 from information_schema.schemata where schema_name = 'directory_next'`,
    );
    expect(leftovers).toEqual([]);
  });

  it('keeps its indexes and their names over rebuilds', async () => {
    const indexes = () => db().query(sql`select indexname from pg_indexes where schemaname = 'directory' order by 1`);
    const before = await indexes();
    const directory = await follow(new DirectoryModel());
    await directory.rebuild();
    expect(await indexes()).toEqual(before);
  });

  it('keeps having its statistics kept up over rebuilds', async () => {
    const settings = () =>
      db().query(sql`
        select c.relname, c.reloptions from pg_class c join pg_namespace s on s.oid = c.relnamespace
        where s.nspname = 'directory' and c.relkind = 'r' and c.relname not in ('state', '_prisma_migrations', '_additive_migrations') order by 1`);
    const before = await settings();
    expect(before).toContainEqual({ relname: 'memberships', reloptions: expect.arrayContaining([expect.anything()]) });
    const directory = await follow(new DirectoryModel());
    await directory.rebuild();
    expect(await settings()).toEqual(before);
  });

  it('leaves the old rows whole when a rebuild fails', async () => {
    const model = new DirectoryModel();
    const project = model.project(model.namespace({ visibility: 'public' }).id, { visibility: 'public' });
    const directory = await follow(model);
    model.duringSnapshot = () => {
      model.failing = true;
    };
    await expect(directory.rebuild()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await seen(anonymous)).toEqual([project.id]);
    model.failing = false;
    model.project(project.namespaceId, { visibility: 'public' });
    await eventually(async () => expect(await seen(anonymous)).toHaveLength(2));
  });

  it('leaves nothing behind when its connection dies in the middle of a rebuild', async () => {
    const model = new DirectoryModel();
    const project = model.project(model.namespace({ visibility: 'public' }).id, { visibility: 'public' });
    const directory = await follow(model);
    model.duringSnapshot = () =>
      eventually(async () => {
        const killed = await db().query(sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`);
        expect(killed).toHaveLength(1);
      });
    await expect(directory.rebuild()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await seen(anonymous)).toEqual([project.id]);
    await directory.rebuild();
    expect(await seen(anonymous)).toEqual([project.id]);
    expect(await db().query(sql`select generation from directory.state`)).toEqual([{ generation: 2 }]);
  });

  it('swaps without holding up readers, even while one of them is slow', async () => {
    const model = new DirectoryModel();
    model.project(model.namespace({ visibility: 'public' }).id, { visibility: 'public' });
    const directory = await follow(model);
    let rebuilt = false;
    let slowest = 0;
    const slow = db().transaction(async (tx) => {
      await tx.query(sql`select 1 from directory.memberships limit 1`);
      await new Promise((settle) => setTimeout(settle, 1_500));
      // The slow reader goes on to a table it has not touched yet, and must not be the victim of a deadlock.
      return tx.query(sql`select 1 from directory.users limit 1`);
    });
    const rebuilding = directory.rebuild().then(() => {
      rebuilt = true;
    });
    while (!rebuilt) {
      const started = performance.now();
      expect(await seen(anonymous)).toHaveLength(1);
      slowest = Math.max(slowest, performance.now() - started);
      await new Promise((settle) => setTimeout(settle, 5));
    }
    await Promise.all([rebuilding, slow]);
    expect(slowest).toBeLessThan(1_200);
  });

  it('takes the word of an owner that has lost history', async () => {
    const model = new DirectoryModel();
    const group = model.namespace({ visibility: 'public' });
    model.project(group.id, { visibility: 'public' });
    const directory = await follow(model);
    const lost = model.project(group.id, { visibility: 'public' });
    await caughtUp(directory, model);
    model.projects.delete(lost.id);
    model.changes.pop();
    await eventually(async () => expect(await seen(anonymous)).toHaveLength(1));
    await eventually(() => expect(directory.sequence()).toBe(model.changes.length));
  });
});

describe('rows of another format', () => {
  const format = async () => (await readState(db())).format;

  it('that an older owner has written are read again from a newer one, once', async () => {
    const model = new DirectoryModel();
    model.user();
    await follow(model);
    expect(await format()).toBe(0);
    model.format = 1;
    await eventually(async () => expect(await format()).toBe(1));
    expect(model.calls.snapshot).toBe(2);
    model.user();
    await eventually(() => expect(model.changes.length).toBe(2));
    // A newer owner delivers what an older one has written meanwhile.
    model.changes.push({ ...structuredClone(model.changes[1]!), sequence: 3 });
    model.changes[2]!.row!.format = 0;
    await eventually(() => expect(model.calls.snapshot).toBe(3));
    await eventually(async () => expect(await format()).toBe(1));
  });

  it('are not taken from an older owner that replies meanwhile, and changes go on', async () => {
    const model = new DirectoryModel();
    model.user();
    const directory = await follow(model);
    model.snapshotFormat = 0;
    model.format = 1;
    await eventually(() => expect(model.calls.snapshot).toBeGreaterThan(2));
    expect(await format()).toBe(0);
    model.user();
    await caughtUp(directory, model);
    model.snapshotFormat = undefined;
    await eventually(async () => expect(await format()).toBe(1));
  });

  it('of an older owner alone, after a step back, wait for the next newer one', async () => {
    const model = new DirectoryModel();
    model.format = 1;
    model.user();
    const directory = await follow(model);
    await eventually(async () => expect(await format()).toBe(1));
    const snapshots = model.calls.snapshot;
    model.format = 0;
    model.user();
    await caughtUp(directory, model);
    expect(await format()).toBe(0);
    expect(model.calls.snapshot).toBe(snapshots);
    model.format = 1;
    await eventually(async () => expect(await format()).toBe(1));
  });

  it('that an older process of the service has stored are read again', async () => {
    const model = new DirectoryModel();
    model.format = 1;
    model.user();
    await follow(model);
    expect(await format()).toBe(1);
    expect(model.calls.snapshot).toBe(1);
    await db().query(sql`update directory.state set sequence = 2`);
    model.user();
    await eventually(() => expect(model.calls.snapshot).toBe(2));
    await eventually(async () => expect(await format()).toBe(1));
  });

  it('that this release does not know are stored with its own', async () => {
    const model = new DirectoryModel();
    model.format = directoryFormat + 1;
    model.user();
    const directory = await follow(model);
    expect(await format()).toBe(directoryFormat);
    model.user();
    await caughtUp(directory, model);
    expect(await format()).toBe(directoryFormat);
    expect(model.calls.snapshot).toBe(1);
  });
});

describe('what an actor may see', () => {
  it('counts an expired membership as none, from the instant at which it expires', async () => {
    const model = new DirectoryModel();
    const user = model.user();
    const group = model.namespace();
    const project = model.project(group.id);
    model.member(user.id, { namespaceId: group.id }, 30, new Date(Date.now() + 3_000));
    await follow(model);
    expect(await seen(viewer(user))).toEqual([project.id]);
    await eventually(async () => expect(await seen(viewer(user))).toEqual([]));
  });

  it('reaches what is shared with a group, no further than the share and no longer than it lasts', async () => {
    const model = new DirectoryModel();
    const [member, above] = [model.user(), model.user()];
    const invitedAbove = model.namespace();
    const invited = model.namespace({ parentId: invitedAbove.id });
    const top = model.namespace();
    const far = model.namespace();
    const project = model.project(model.namespace({ parentId: top.id }).id);
    const alone = model.project(far.id);
    model.member(member.id, { namespaceId: invited.id }, 20);
    model.member(above.id, { namespaceId: invitedAbove.id }, 50);
    model.share(invited.id, { namespaceId: top.id }, 30);
    model.share(top.id, { namespaceId: far.id }, 50);
    model.share(invited.id, { projectId: alone.id }, 10, new Date(Date.now() + 60_000));
    await follow(model);
    const levelsIn = async (id: number) => {
      const rows = await db().query<{ own: number; other: number }>(
        sql`select ${accessLevel(viewer(member), id)} as own, ${accessLevel(viewer(above), id)} as other`,
      );
      return [rows[0]?.own, rows[0]?.other];
    };
    expect(await levelsIn(project.id)).toEqual([20, 30]);
    expect(await levelsIn(alone.id)).toEqual([10, 10]);
    expect(await seen(viewer(member))).toEqual([project.id, alone.id]);
    expect(await membersAtLevel(db(), project.id, 30)).toEqual([above.id]);
    expect(await usersWhoSee(db(), project.id, [member.id], { privateLevel: 30 })).toEqual([]);
    await db().query(
      sql`update directory.shares set expires_at = now() - interval '1 second' where expires_at is not null`,
    );
    expect(await seen(viewer(member))).toEqual([project.id]);
    expect(await levelsIn(alone.id)).toEqual([0, 0]);
  });

  it('requires more than Guest in private projects where the list does', async () => {
    const model = new DirectoryModel();
    const [guest, reporter, outsider] = [model.user(), model.user(), model.user({ external: true })];
    const group = model.namespace({ visibility: 'internal' });
    const hidden = model.project(group.id);
    const internal = model.project(group.id, { visibility: 'internal' });
    model.member(guest.id, { projectId: hidden.id }, 10);
    model.member(reporter.id, { projectId: hidden.id }, 20);
    model.member(outsider.id, { projectId: internal.id }, 10);
    await follow(model);
    const ids = [guest.id, reporter.id, outsider.id];
    expect(await usersWhoSee(db(), hidden.id, ids)).toEqual([guest.id, reporter.id]);
    expect(await usersWhoSee(db(), hidden.id, ids, { privateLevel: 20 })).toEqual([reporter.id]);
    expect(await usersWhoSee(db(), internal.id, ids, { privateLevel: 20 })).toEqual(ids);
    const rows = await db().query(
      sql`select p.id from ${projectsFrom} where ${visibleProjects(viewer(outsider), { privateLevel: 20 })}`,
    );
    expect(rows).toEqual([{ id: internal.id }]);
    expect(await db().query(sql`select p.id from ${projectsFrom} where ${memberProjects(viewer(guest), 20)}`)).toEqual(
      [],
    );
    expect(await db().query(sql`select p.id from ${projectsFrom} where ${memberProjects(viewer(guest))}`)).toEqual([
      { id: hidden.id },
    ]);
  });

  it('keeps merge requests to members where they or the repository are private', async () => {
    const model = new DirectoryModel();
    const [admin, guest, reporter, outsider] = [model.user({ admin: true }), model.user(), model.user(), model.user()];
    const group = model.namespace({ visibility: 'public' });
    const withSettings = (settings: Partial<DirectoryProjectSettings>) => {
      const project = model.project(group.id, {
        visibility: 'public',
        settings: DirectoryProjectSettings.fromPartial({ mergeRequestsEnabled: true, ...settings }),
      });
      model.member(guest.id, { projectId: project.id }, 10);
      model.member(reporter.id, { projectId: project.id }, 20);
      return project.id;
    };
    const open = withSettings({});
    const codeOfMembers = withSettings({ repositoryAccessLevel: 'private' });
    const requestsOfMembers = withSettings({ mergeRequestsAccessLevel: 'private' });
    const withoutCode = withSettings({ repositoryAccessLevel: 'disabled' });
    await follow(model);
    const rule = { privateLevel: 20, feature: 'merge_requests' } as const;
    const reads = async (who: Viewer) =>
      (
        await db().query<{ id: number }>(
          sql`select p.id from ${projectsFrom} where ${visibleProjects(who, rule)} order by p.id`,
        )
      ).map(({ id }) => id);
    expect(await reads({ userId: 0, admin: false, external: false })).toEqual([open]);
    expect(await reads(viewer(outsider))).toEqual([open]);
    expect(await reads(viewer(guest))).toEqual([open, codeOfMembers]);
    expect(await reads(viewer(reporter))).toEqual([open, codeOfMembers, requestsOfMembers]);
    expect(await reads(viewer(admin))).toEqual([open, codeOfMembers, requestsOfMembers]);
    const all = [admin.id, guest.id, reporter.id, outsider.id];
    expect(await usersWhoSee(db(), requestsOfMembers, all, rule)).toEqual([admin.id, reporter.id]);
    expect(await usersWhoSee(db(), codeOfMembers, all, rule)).toEqual([admin.id, guest.id, reporter.id]);
    expect(await usersWhoSee(db(), withoutCode, all, rule)).toEqual([]);
  });

  it.each([
    ['issues', { issuesAccessLevel: 'private' }],
    ['snippets', { snippetsAccessLevel: 'private' }],
    ['packages', { packageRegistryAccessLevel: 'private' }],
  ] as const)('keeps %s to members where they are private', async (feature, level) => {
    const model = new DirectoryModel();
    const [admin, guest, outsider] = [model.user({ admin: true }), model.user(), model.user()];
    const group = model.namespace({ visibility: 'public' });
    const settings = DirectoryProjectSettings.fromPartial({ issuesEnabled: true, ...level });
    const project = model.project(group.id, { visibility: 'public', settings });
    model.member(guest.id, { projectId: project.id }, 10);
    await follow(model);
    const rule = { feature };
    for (const who of [admin, guest, outsider]) {
      const rows = await db().query(sql`select p.id from ${projectsFrom} where ${visibleProjects(viewer(who), rule)}`);
      expect(rows).toHaveLength(who === outsider ? 0 : 1);
    }
    const all = [admin.id, guest.id, outsider.id];
    expect(await usersWhoSee(db(), project.id, all, rule)).toEqual([admin.id, guest.id]);
    expect(await usersAtLevel(db(), project.id, all, 10)).toEqual([admin.id, guest.id]);
    expect(await usersAtLevel(db(), project.id, all, 15)).toEqual([admin.id]);
  });

  it('shows public packages of a private project to all, and nothing else of it (G-4.17-8)', async () => {
    const model = new DirectoryModel();
    const [guest, outsider] = [model.user(), model.user({ external: true })];
    const group = model.namespace({ visibility: 'private' });
    const ofLevel = (packageRegistryAccessLevel: string, deleting = false) =>
      model.project(group.id, {
        visibility: 'private',
        deleting,
        settings: DirectoryProjectSettings.fromPartial({ packageRegistryAccessLevel }),
      }).id;
    const [shown, enabled] = [ofLevel('public'), ofLevel('enabled')];
    ofLevel('public', true);
    for (const projectId of [shown, enabled]) model.member(guest.id, { projectId }, 10);
    await follow(model);
    const reads = async (who: Viewer, rule?: ProjectRule) =>
      (await db().query<{ id: number }>(sql`select p.id from ${projectsFrom} where ${visibleProjects(who, rule)}`)).map(
        ({ id }) => id,
      );
    for (const who of [anonymous, viewer(outsider)]) {
      expect(await reads(who, packageRule)).toEqual([shown]);
      expect(await reads(who)).toEqual([]);
      expect(await reads(who, codeRule)).toEqual([]);
    }
    expect(await reads(viewer(guest), packageRule)).toEqual([shown]);
    expect(await usersWhoSee(db(), shown, [guest.id, outsider.id], packageRule)).toEqual([guest.id, outsider.id]);
  });

  it('equals the owner’s own answer under random changes, moves, deletions and rebuilds', async () => {
    const step = fc.record({
      kind: fc.constantFrom(
        ...([
          'group',
          'project',
          'member',
          'leave',
          'share',
          'share',
          'unshare',
          'move',
          'moveProject',
          'visibility',
          'groupVisibility',
          'hide',
          'hideGroup',
          'purge',
          'removeUser',
          'rebuild',
        ] as const),
      ),
      a: fc.nat(1_000),
      b: fc.nat(1_000),
      level: fc.constantFrom(5, 10, 15, 20, 30, 40, 50),
      visibility: fc.constantFrom('public', 'internal', 'private'),
      expiry: fc.constantFrom(undefined, undefined, -60_000, 3_600_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        await db().query(sql`update directory.state set sequence = 0, generation = 0`);
        const model = new DirectoryModel();
        const ghost = model.user({ username: 'ghost', bot: true });
        for (let at = 0; at < 5; at += 1) model.user({ admin: at === 0, external: at === 1 });
        const pick = <T>(from: Map<number, T>, at: number): T | undefined =>
          [...from.values()][at % Math.max(1, from.size)];
        const directory = await follow(model, 50);
        for (const { kind, a, b, level, visibility, expiry } of steps) {
          const [user, group, project] = [pick(model.users, a), pick(model.namespaces, b), pick(model.projects, a + b)];
          const expires = expiry === undefined ? undefined : new Date(Date.now() + expiry);
          if (kind === 'group') model.namespace({ visibility, parentId: a % 3 === 0 ? 0 : group?.id });
          else if (kind === 'project' && group) model.project(group.id, { visibility });
          else if (kind === 'member' && user && a % 2 && group)
            model.member(user.id, { namespaceId: group.id }, level, expires);
          else if (kind === 'member' && user && project)
            model.member(user.id, { projectId: project.id }, level, expires);
          else if (kind === 'leave' && model.memberships.size > 0)
            model.removeMembership(pick(model.memberships, a)!.id);
          else if (kind === 'share' && group) {
            const invited = pick(model.namespaces, a + b)!;
            const where = project && b % 3 === 0 ? { projectId: project.id } : { namespaceId: group.id };
            model.share(invited.id, where, Math.max(10, level), expires);
          } else if (kind === 'unshare' && model.shares.size > 0) model.removeShare(pick(model.shares, a)!.id);
          else if (kind === 'move' && group)
            model.moveNamespace(group.id, pick(model.namespaces, a)!.id, `moved${model.id()}`);
          else if (kind === 'moveProject' && project && group)
            model.changeProject(project.id, { namespaceId: group.id });
          else if (kind === 'visibility' && project) model.changeProject(project.id, { visibility });
          else if (kind === 'groupVisibility' && group) model.changeNamespace(group.id, { visibility });
          else if (kind === 'hide' && project && a % 4 === 0) model.changeProject(project.id, { deleting: true });
          else if (kind === 'hideGroup' && group && a % 4 === 0) model.changeNamespace(group.id, { deleting: true });
          else if (kind === 'purge' && project && a % 4 === 0) model.removeProject(project.id);
          else if (kind === 'removeUser' && user && a % 4 === 0 && user.id !== ghost.id)
            model.removeUser(user.id, ghost.id);
          else if (kind === 'rebuild' && a % 5 === 0) await directory.rebuild();
          if (a % 7 === 0) await caughtUp(directory, model);
        }
        await caughtUp(directory, model);
        for (const who of [anonymous, ...[...model.users.values()].map(viewer)]) {
          const expected = [...model.projects.keys()].filter((id) => model.seesProject(who, id));
          expect(await seen(who)).toEqual(expected.sort((x, y) => x - y));
          const groups = await db().query<{ id: number }>(
            sql`select n.id from directory.namespaces n where ${visibleNamespaces(who)} order by n.id`,
          );
          expect(groups.map((row) => row.id)).toEqual(
            [...model.namespaces.keys()].filter((id) => model.seesNamespace(who, id)).sort((x, y) => x - y),
          );
          const levels = await db().query<{ id: number; level: number }>(
            sql`select p.id, ${accessLevel(who, sql`p.id`)} as level from ${projectsFrom} where p.deleted_at is null order by p.id`,
          );
          for (const { id, level } of levels) expect(level).toBe(model.level(who.userId, who.admin, id));
          const inProjects = await db().query<{ id: number }>(
            sql`select p.id from ${projectsFrom} where ${memberProjects(who, 30)} order by p.id`,
          );
          const projects = expected.filter((id) => model.level(who.userId, false, id) >= 30);
          expect(inProjects.map(({ id }) => id)).toEqual(projects);
        }
        for (const project of model.projects.values()) {
          const all = [...model.users.values()];
          expect(
            await usersWhoSee(
              db(),
              project.id,
              all.map((user) => user.id),
            ),
          ).toEqual(all.filter((user) => model.seesProject(viewer(user), project.id)).map((user) => user.id));
          const lives = model.seesProject({ userId: 0, admin: true, external: false }, project.id);
          const atLevel = (admins: boolean) =>
            all.filter((user) => lives && model.level(user.id, admins && user.admin, project.id) >= 30);
          const ids = all.map((user) => user.id);
          expect(await usersAtLevel(db(), project.id, ids, 30)).toEqual(atLevel(true).map(({ id }) => id));
          const people = atLevel(false).filter((user) => !user.bot);
          expect(await membersAtLevel(db(), project.id, 30)).toEqual(people.map(({ id }) => id));
        }
        await directory.close();
      }),
      { seed: 20261121, numRuns: 25 },
    );
  }, 120_000);
});
