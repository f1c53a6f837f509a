import { sql } from '@switchyard/database/sql';
import { unavailable } from '@switchyard/errors';
import { eventually } from '@switchyard/testkit';
import { json } from '@switchyard/testkit/installation';
import {
  asks,
  at,
  cancel,
  endsAs,
  forge,
  ghost,
  here,
  issue,
  listed,
  note,
  others,
  placeholders,
  row,
  start,
  user,
} from './harness';

export const peopleTests = (): void =>
  describe('people of an import', () => {
    /** Path of a project, as it is known here. */
    const pathOf = async (id: number) => {
      const [found] = await here.db.query<{ path: string }>(sql`
      select n.full_path || '/' || p.path as path from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = ${id}`);
      return found?.path ?? '';
    };

    it('brings over issues and comments, with the importer by e-mail, asks members, and leaves pull requests out', async () => {
      const known = here.directory.user({ confirmedEmails: ['Octo@Example.com'] });
      const blocked = here.directory.user({ confirmedEmails: ['gone@example.com'], state: 'blocked' });
      const shown = { publicEmail: 'Shown@example.com', confirmedEmails: ['shown@example.com'] };
      const member = here.directory.user(shown);
      const hidden = here.directory.user({ confirmedEmails: ['hidden@example.com'] });
      // Shown to others, and never confirmed.
      const other = here.directory.user({ publicEmail: 'other@example.com' });
      // A forge may say of anybody what it likes: only members of the project are found.
      here.directory.user({ publicEmail: 'boss@example.com', confirmedEmails: ['boss@example.com'], admin: true });
      for (const { id } of [known, blocked, member, hidden, other])
        here.directory.member(id, { namespaceId: others.namespaceId }, 40);
      Object.assign(forge.contents.users, {
        octocat: { id: 1, login: 'octocat', email: 'octo@example.com' },
        hubot: { id: 2, login: 'hubot', email: null },
        boss: { id: 3, login: 'boss', email: 'boss@example.com' },
        gone: { id: 4, login: 'gone', email: 'gone@example.com' },
        ...Object.fromEntries(
          ['shown', 'hidden', 'other'].map((login, at) => [
            login,
            { id: 5 + at, login, email: `${login}@example.com` },
          ]),
        ),
        // Somebody else with the address of a member, who is asked once.
        again: { id: 8, login: 'again', email: 'shown@example.com' },
      });
      forge.contents.lists.issues = [
        issue(1, {
          state: 'closed',
          closed_at: '2020-03-04T05:06:07Z',
          assignees: [{ login: 'octocat' }, { login: 'gone' }],
        }),
        issue(2, { pull_request: {} }),
        issue(3, { user: null, body: null, milestone: null }),
        issue(4, { title: 7 }),
      ];
      forge.contents.lists['issues/comments'] = [
        note(11, 1),
        note(12, 2, { html_url: 'https://forge.example/octo/things/pull/2#issuecomment-12' }),
        note(13, 3, { user: { login: 'gone' } }),
        note(14, 3, { issue_url: 'https://forge.example/../..' }),
        note(15, 1, { user: { login: 'octocat' } }),
        note(16, 1, { user: { login: 'boss' } }),
        ...['shown', 'hidden', 'other', 'again'].map((login, at) => note(17 + at, 1, { user: { login } })),
      ];
      const { id } = await start({}, known);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { issue: 3, note: 10 }, imported: { issue: 2, note: 9 } },
      });
      const by = (foreignId: string) => others.placeholders.get(`${id}:${foreignId}`);
      expect(others.issues).toMatchObject([
        {
          ...{ iid: 1, authorId: known.id, description: 'See #12, @ada', closedAt: new Date('2020-03-04T05:06:07Z') },
          ...{
            labels: ['bug'],
            milestoneIid: 3,
            milestoneTitle: 'v3',
            assigneeIds: [known.id, by('4')],
            createdAt: new Date(at),
          },
        },
        { iid: 3, authorId: ghost, description: '', closedAt: undefined, milestoneIid: 0, milestoneTitle: '' },
      ]);
      expect(blocked.id).not.toBe(known.id);
      expect([...others.notes.values()]).toMatchObject([
        { key: '11', noteableIid: 1, authorId: by('2'), body: 'Comment 11' },
        { key: '12', noteableType: 'MergeRequest', noteableIid: 2 },
        { key: '13', noteableIid: 3, authorId: by('4'), body: 'Comment 13' },
        { key: '15', noteableIid: 1, authorId: known.id, body: 'Comment 15' },
        { key: '16', noteableIid: 1, authorId: by('3'), body: 'Comment 16' },
        ...['5', '6', '7', '8'].map((foreignId, at) => ({ key: `${17 + at}`, authorId: by(foreignId) })),
      ]);
      expect(await listed(id, 'awaiting_approval')).toMatchObject([
        { source_username: 'shown', reassign_to_user: { id: member.id }, reassigned_by_user: { id: known.id } },
      ]);
      expect(await asks(id)).toEqual([['shown', member.id]]);
      const asked = forge.requests.filter(({ url }) => url.includes('/users/')).map(({ url }) => url.split('/').at(-1));
      expect(asked.sort()).toEqual(['again', 'boss', 'gone', 'hidden', 'hubot', 'octocat', 'other', 'shown']);
    });

    it("an administrator's import writes for members", async () => {
      const member = here.directory.user({ confirmedEmails: ['member@example.com'] });
      const admin = here.directory.user({ admin: true });
      for (const { id } of [member, admin]) here.directory.member(id, { namespaceId: others.namespaceId }, 40);
      forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'member@example.com' };
      forge.contents.lists.issues = [issue(1)];
      const { id } = await start({}, { ...admin, admin: true });
      await endsAs(id, 'finished');
      expect(others.issues).toMatchObject([{ authorId: member.id }]);
    });

    it('who wrote something is reassigned to who accepts it, part by part, and is then known (ADR 67)', async () => {
      const owner = here.directory.user();
      const [target, blocked] = [here.directory.user(), here.directory.user({ state: 'blocked' })];
      Object.assign(forge.contents.users, { octocat: { id: 1, login: 'octocat', name: 'Mona' } });
      forge.contents.lists.issues = [issue(1), issue(2, { user: { login: 'hubot' } })];
      const { id } = await start();
      const importing = placeholders.reassignImportPlaceholder;
      await endsAs(id, 'finished');
      const [octocat, hubot] = await listed(id);
      const standIn = others.placeholders.get(`${id}:1`);
      expect(octocat).toMatchObject({
        ...{ state: 'pending', import_type: 'github', source_hostname: forge.url, source_user_identifier: '1' },
        ...{
          source_username: 'octocat',
          source_name: 'Mona',
          placeholder_user: { id: standIn, username: 'octocat_placeholder' },
        },
        ...{ reassign_to_user: null, reassigned_by_user: null },
      });
      expect(hubot).toMatchObject({ source_user_identifier: 'login:hubot', source_username: 'hubot' });
      const placeholderId = octocat?.id ?? 0;
      const as = (by: { id: number }) => here.as(by, { id });
      const reassign = (userId: number, by = { id: owner.id }, one = placeholderId) =>
        importing({ projectId: id, placeholderId: one, userId }, as(by));
      const named = { projectId: id, placeholderId, projectPath: '' };
      // Without access to the project.
      const answer = (by: { id: number }) => placeholders.acceptImportPlaceholder(named, here.as(by));
      await expect(reassign(999_999)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(reassign(blocked.id)).rejects.toMatchObject({ kind: 'bad_request' });
      await expect(reassign(standIn ?? 0)).rejects.toMatchObject({ kind: 'bad_request' });
      await expect(reassign(target.id, owner, 999_999)).rejects.toMatchObject({ kind: 'not_found' });
      expect(json(await reassign(target.id))).toMatchObject({
        state: 'awaiting_approval',
        reassign_to_user: { id: target.id },
      });
      await expect(answer(user)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(
        placeholders.acceptImportPlaceholder({ ...named, projectId: 999_999 }, here.as(target)),
      ).rejects.toMatchObject({ kind: 'not_found', body: { message: '404 Placeholder Not Found' } });
      const byPath = { ...named, projectId: 0, projectPath: await pathOf(id) };
      expect(json(await placeholders.rejectImportPlaceholder(byPath, here.as(target)))).toMatchObject({
        ...{ state: 'pending', reassign_to_user: null },
      });
      await reassign(target.id);
      others.rewrites = [500, 0, unavailable(), 3, 2];
      expect(json(await answer(target))).toMatchObject({ state: 'reassigning' });
      await expect(reassign(target.id)).rejects.toMatchObject({ kind: 'conflict' });
      await eventually(
        async () => {
          await here.db.query(sql`update import_placeholders set leased_until = now() where lease is null`);
          expect(await listed(id, 'reassigned')).toMatchObject([
            {
              id: placeholderId,
              placeholder_user: null,
              reassign_to_user: { id: target.id },
              reassigned_by_user: { id: owner.id },
            },
          ]);
        },
        { within: 30_000 },
      );
      // By mail once, although they rejected it before.
      expect(await asks(id)).toEqual([['octocat', target.id]]);
      expect(others.rewrites).toEqual([]);
      expect(others.removed).toEqual([standIn]);
      expect(new Set(others.reassigned.map((one) => JSON.stringify(one)))).toEqual(
        new Set([JSON.stringify({ projectId: id, fromUserId: standIn, toUserId: target.id })]),
      );
      expect(
        await here.db.query(sql`
      select p.login, p.user_id from import_people p join project_imports i on i.id = p.import_id
      where i.project_id = ${id} and p.login = 'octocat'`),
      ).toEqual([{ login: 'octocat', user_id: target.id }]);
    });

    it('collaborators are let in once it is known who they are: at once, or when they take their places (ADR 67)', async () => {
      const known = here.directory.user({ confirmedEmails: ['collaborator@example.com'] });
      here.directory.member(known.id, { namespaceId: others.namespaceId }, 40);
      forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'collaborator@example.com' };
      forge.contents.users.hubot = { id: 2, login: 'hubot', email: null };
      const may = { admin: false, maintain: false, push: false, triage: false };
      forge.contents.lists.collaborators = [
        { login: 'octocat', role_name: 'maintain' },
        { login: 'hubot', role_name: 'made up', permissions: { ...may, push: true, triage: true } },
        { login: 'ada', permissions: may },
        { login: '' },
      ];
      expect((await start({}, known)).id).toBeDefined();
      const { id } = await start({ collaboratorsImport: true, newName: 'open' }, known);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { collaborator: 4 }, imported: { collaborator: 1 } },
        failed_relations: [{ relation_name: 'collaborators' }],
      });
      const by = { importerId: known.id, forEverybody: false };
      expect(others.members).toEqual([{ userId: known.id, level: 40, ...by }]);
      others.members = [];
      const [hubot, ada] = await listed(id);
      const target = here.directory.user();
      const as = here.as({ ...target, admin: true }, { id });
      for (const one of [hubot, ada])
        await placeholders.reassignImportPlaceholder(
          { projectId: id, placeholderId: one?.id ?? 0, userId: target.id },
          as,
        );
      await eventually(async () => expect(await listed(id, 'reassigned')).toHaveLength(2), { within: 30_000 });
      expect(others.members).toEqual([30, 10].map((level) => ({ userId: target.id, level, ...by })));
    });

    it('collaborators and lists that the token may not read are named, and the import goes on', async () => {
      forge.breakNext(/collaborators/, (_, response) => response.writeHead(403).end('{}'));
      forge.breakNext(/things\/issues\?.*direction=asc/, (_, response) => response.writeHead(404).end('{}'));
      const { id } = await start({ collaboratorsImport: true });
      expect(await endsAs(id, 'finished')).toMatchObject({
        failed_relations: [
          { source: 'all collaborators', exception_message: 'The forge answered 403' },
          { relation_name: 'issues', source: 'the whole list', exception_message: 'The forge answered 404' },
        ],
      });
      expect(others.members).toEqual([]);
    });

    it('nobody is reassigned while the import runs, or may still write after it was cancelled', async () => {
      forge.contents.lists.issues = [issue(1)];
      forge.breakNext(/issues.comments/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
      const { id } = await start();
      await eventually(async () => expect(await listed(id)).toHaveLength(1));
      const [one] = await listed(id);
      const request = { projectId: id, placeholderId: one?.id ?? 0, userId: here.directory.user().id };
      await expect(placeholders.reassignImportPlaceholder(request, here.as(user, { id }))).rejects.toMatchObject({
        ...{ kind: 'conflict', body: { message: 'The import is still running, or was stopped just now' } },
      });
      await cancel(id);
      // A page may still be on its way.
      await expect(placeholders.reassignImportPlaceholder(request, here.as(user, { id }))).rejects.toMatchObject({
        kind: 'conflict',
      });
      await here.db.query(
        sql`update project_imports set ended_at = now() - interval '5 minutes' where project_id = ${id}`,
      );
      expect(json(await placeholders.reassignImportPlaceholder(request, here.as(user, { id })))).toMatchObject({
        state: 'awaiting_approval',
      });
    });

    it('the ghost stands for whom a forge invents beside 10,000 others', async () => {
      forge.contents.lists.issues = [issue(1)];
      forge.contents.lists['issues/comments'] = [note(11, 1), note(12, 1, { user: { login: 'octocat' } })];
      forge.breakNext(/issues.comments/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
      const { id } = await start();
      await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
      await here.db.query(sql`
      insert into import_placeholders (import_id, user_id, foreign_id, login, name)
      select id, n, 'more:' || n, 'login', '' from project_imports, generate_series(1, 9999) n where project_id = ${id}`);
      await endsAs(id, 'finished');
      const octocat = others.placeholders.get(`${id}:login:octocat`);
      expect([...others.notes.values()].map(({ authorId }) => authorId)).toEqual([ghost, octocat]);
      expect(others.placeholders.size).toBe(1);
    });
  });
