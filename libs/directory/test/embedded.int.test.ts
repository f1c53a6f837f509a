import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { DirectoryModel } from '@switchyard/testkit/installation';
import {
  alertBotId,
  importedPeople,
  labelsByTitles,
  membersAtLevel,
  milestonesByIds,
  namedMilestones,
  projectByPath,
  projectColumns,
  projectOf,
  projectReference,
  projectsFrom,
  userColumns,
  userJoin,
  userOf,
  userReference,
  usersByIds,
  usersByUsernames,
  usersJson,
  usersWhoSee,
} from '../src';
import { directoryHarness } from './directory-harness';

const { db, follow, caughtUp } = directoryHarness();

describe('what is embedded', () => {
  it('gives references of users, the ghost in place of a deleted one', async () => {
    const model = new DirectoryModel();
    const ghost = model.user({ username: 'ghost', bot: true, name: 'Ghost User' });
    const kept = model.user({ username: 'Ada', publicEmail: 'ada@example.com', avatarUrl: 'https://x.example/a.png' });
    const deleted = model.user();
    model.removeUser(deleted.id, ghost.id);
    await follow(model);
    const { result, statements } = await countStatements(() => usersByIds(db(), [kept.id, deleted.id, 999_999]));
    expect(statements).toBe(1);
    expect(userReference(result.get(kept.id)!, 'https://code.example/')).toEqual({
      id: kept.id,
      username: 'Ada',
      name: kept.name,
      state: 'active',
      locked: false,
      public_email: 'ada@example.com',
      avatar_url: 'https://x.example/a.png',
      web_url: 'https://code.example/Ada',
    });
    expect(result.get(deleted.id)).toMatchObject({ id: ghost.id, username: 'ghost' });
    expect(result.get(999_999)).toMatchObject({ id: ghost.id });
    expect([...(await usersByUsernames(db(), ['ada', deleted.username, 'ghost'])).keys()]).toEqual(['ada']);
    const rows = await db().query<{ users: { id: number }[] }>(sql`
      select ${userColumns('author')}, ${usersJson(sql`array[${kept.id}, ${deleted.id}]::bigint[]`)} as users
      from (select ${deleted.id}::bigint as author_id) as mr ${userJoin('author', sql`mr.author_id`)}`);
    expect(userOf(rows[0]!, 'author')).toMatchObject({ id: ghost.id, name: 'Ghost User' });
    expect(rows[0]!.users.map((user) => user.id)).toEqual([kept.id, ghost.id]);
  });

  it('finds the importer alone among the people of an archive, and everybody where an administrator imports; others stand in (ADR 69)', async () => {
    const model = new DirectoryModel();
    const ghost = model.user({ username: 'ghost', bot: true, kind: 'ghost' });
    const ofAnother = model.user({ username: 'ada_placeholder', bot: true, kind: 'placeholder' });
    const group = model.namespace();
    const { id: projectId } = model.project(group.id);
    const [importer, member, stranger] = [model.user(), model.user(), model.user()];
    for (const { id } of [importer, member]) model.member(id, { namespaceId: group.id }, 40);
    await follow(model);
    const names = [importer, member, stranger, ofAnother].map(({ username }) => username);
    const found = (forEverybody: boolean, standIns?: { users: Map<string, number>; areAll: boolean }) =>
      importedPeople(db(), { projectId, importerId: importer.id, forEverybody, standIns }, [...names, null, '']);
    // Nothing is asked of an older release.
    await expect(found(false)).rejects.toMatchObject({ kind: 'unavailable' });
    const users = new Map([[member.username, 77]]);
    await expect(found(false, { users, areAll: false })).rejects.toMatchObject({
      usernames: [stranger.username, ofAnother.username],
    });
    const own = await found(false, { users, areAll: true });
    expect(own.users(names)).toEqual([importer.id, 77]);
    expect([...names, null, ''].map(own.writer)).toEqual([importer.id, 77, ghost.id, ghost.id, ghost.id, ghost.id]);
    expect([...names, null].map(own.decider)).toEqual([importer.id, ...Array(4)]);
    const all = await found(true, { users: new Map(), areAll: true });
    expect(all.users(names)).toEqual([importer.id, member.id, stranger.id]);
    expect(names.map(all.decider)).toEqual([importer.id, member.id, stranger.id, undefined]);
  });

  it('names the people who look after a project: members at a level, active and human', async () => {
    const model = new DirectoryModel();
    const top = model.namespace();
    const group = model.namespace({ parentId: top.id });
    const project = model.project(group.id);
    const inside = [model.user(), model.user()].map(({ id }, at) => {
      model.member(id, at === 0 ? { namespaceId: top.id } : { projectId: project.id }, 40 + at * 10);
      return id;
    });
    const outside = [
      model.user({ admin: true }),
      ...[{ state: 'blocked' }, { bot: true }, {}, {}].map((given, at) => {
        const user = model.user(given);
        const expiry = at === 2 ? new Date(Date.now() - 1_000) : undefined;
        model.member(user.id, { projectId: project.id }, at === 3 ? 30 : 40, expiry);
        return user;
      }),
    ];
    const own = model.namespace({ kind: 'user', ownerId: inside[0] });
    const owned = model.project(own.id);
    const deleted = model.project(group.id, { deleting: true });
    await follow(model);
    const members = (id: number, level = 40) => membersAtLevel(db(), id, level);
    expect(await members(project.id)).toEqual(inside);
    expect(await members(project.id, 30)).toEqual([...inside, outside[4]?.id]);
    expect(await members(owned.id)).toEqual([inside[0]]);
    expect(await members(deleted.id)).toEqual([]);
  });

  it('finds the alert bot by its kind, and not by its name', async () => {
    const model = new DirectoryModel();
    const somebody = model.user({ username: 'alert-bot' });
    const open = model.project(model.namespace().id, { visibility: 'public' });
    const directory = await follow(model);
    expect(await alertBotId(db())).toBeUndefined();
    const bot = model.user({ username: 'alert-bot2', bot: true, kind: 'alert_bot' });
    await caughtUp(directory, model);
    expect(await alertBotId(db())).toBe(bot.id);
    expect([...(await usersByUsernames(db(), ['alert-bot', 'alert-bot2'])).keys()]).toEqual(['alert-bot']);
    expect(await usersWhoSee(db(), open.id, [somebody.id, bot.id])).toEqual([somebody.id]);
  });

  it('gives references of projects by their present path', async () => {
    const model = new DirectoryModel();
    const group = model.namespace({ path: 'team', fullPath: 'team', fullName: 'Team', name: 'Team' });
    const project = model.project(group.id, { name: 'Rails', path: 'rails' });
    const directory = await follow(model);
    model.moveNamespace(group.id, 0, 'crew');
    await caughtUp(directory, model);
    const [row] = await db().query(sql`select ${projectColumns} from ${projectsFrom} where p.id = ${project.id}`);
    expect(projectReference(projectOf(row!)!, 'https://code.example')).toEqual({
      id: project.id,
      name: 'Rails',
      name_with_namespace: 'Team / Rails',
      path: 'rails',
      path_with_namespace: 'crew/rails',
      web_url: 'https://code.example/crew/rails',
    });
    expect(await projectByPath(db(), 'CREW/rails')).toMatchObject({
      id: project.id,
      merge_method: 'merge',
      deleting: false,
    });
    expect(await projectByPath(db(), 'team/rails')).toBeUndefined();
  });

  it('finds labels and milestones of a project and of the groups above it', async () => {
    const model = new DirectoryModel();
    const top = model.namespace();
    const below = model.namespace({ parentId: top.id });
    const project = model.project(below.id);
    const other = model.namespace();
    const directory = await follow(model);
    const label = (id: number, title: string, where: { projectId?: number; namespaceId?: number }) =>
      model.write({
        $case: 'label',
        value: { id, projectId: 0, namespaceId: 0, title, color: '#112233', description: '', ...where },
      });
    label(1, 'bug', { namespaceId: top.id });
    label(2, 'bug', { namespaceId: below.id });
    label(3, 'bug', { projectId: project.id });
    label(4, 'ops', { namespaceId: top.id });
    label(5, 'far', { namespaceId: other.id });
    const milestone = (id: number, title: string, where: { iid: number; projectId?: number; namespaceId?: number }) =>
      model.write({
        $case: 'milestone',
        value: {
          ...{ id, projectId: 0, namespaceId: 0, title, description: 'first', state: 'active', dueDate: '2026-12-31' },
          ...{ startDate: '', createdAt: new Date(0), updatedAt: new Date(0), ...where },
        },
      });
    milestone(7, 'v1', { iid: 1, namespaceId: top.id });
    milestone(8, 'v2', { iid: 2, namespaceId: top.id });
    milestone(9, 'v2', { iid: 1, namespaceId: below.id });
    milestone(10, 'own', { iid: 2, projectId: project.id });
    milestone(12, 'Café', { iid: 4, projectId: project.id });
    milestone(11, 'far', { iid: 1, namespaceId: other.id });
    await caughtUp(directory, model);
    const labels = await labelsByTitles(db(), project.id, ['bug', 'ops', 'far']);
    expect(labels.map(({ id, title }) => [id, title])).toEqual([
      [3, 'bug'],
      [4, 'ops'],
    ]);
    expect((await milestonesByIds(db(), [7])).get(7)).toMatchObject({
      title: 'v1',
      due_date: '2026-12-31',
      start_date: null,
      created_at: new Date(0),
    });
    const names = [
      ...[{ iid: 2, title: 'renamed' }, { iid: 1, title: 'v1' }, { iid: 3, title: 'v2' }, { title: 'own' }],
      ...[{ iid: 3, title: 'far' }, { iid: 0, title: '' }, {}],
      // As its forge writes it, and with a number that another one of the project had before it came.
      ...[{ title: ' Cafe\u0301 ' }, { iid: 2, title: 'Café' }],
      // A group has a milestone of the old title since.
      { iid: 2, title: 'v2' },
    ];
    const found = await namedMilestones(db(), project.id, names);
    expect(names.map(found)).toEqual([10, 7, 9, 10, undefined, undefined, undefined, 12, 12, 10]);
  });
});
