import { eventually } from '@switchyard/testkit';
import type { System } from '../support/system';

/** One installation: issues from empty to closed, as clients see them. */
export const issueTests = (started: () => System): void =>
  describe('issues', () => {
    let system: System;
    const tokens: Record<string, string> = {};
    const ids: Record<string, number> = {};
    let group = 0;
    let project = 0;

    const call = async (user: string, method: string, path: string, body?: unknown) =>
      system.api(method, path, { token: user === '' ? '' : tokens[user], body });
    const titles = async (user: string, path: string): Promise<string[]> =>
      (await call(user, 'GET', path)).body.map(({ title }: { title: string }) => title).sort();

    beforeAll(async () => {
      system = started();
      for (const username of ['ada', 'bob', 'guest', 'eve']) {
        const user = await system.api('POST', '/users', {
          body: { email: `${username}@example.com`, username, name: username, force_random_password: true },
        });
        ids[username] = user.body.id;
        const token = await system.api('POST', `/users/${user.body.id}/personal_access_tokens`, {
          body: { name: 't', scopes: ['api'] },
        });
        tokens[username] = token.body.token;
      }
      group = (await system.api('POST', '/groups', { body: { name: 'G', path: 'g', visibility: 'public' } })).body.id;
      project = (
        await system.api('POST', '/projects', {
          body: { name: 'P', path: 'p', namespace_id: group, visibility: 'public' },
        })
      ).body.id;
      for (const [username, level] of [
        ['ada', 40],
        ['bob', 20],
        ['guest', 10],
      ] as const) {
        await system.api('POST', `/projects/${project}/members`, {
          body: { user_id: ids[username], access_level: level },
        });
      }
    });

    it('are opened, read, changed, closed and found', async () => {
      const at = `/projects/${project}/issues`;
      const made = await call('ada', 'POST', at, {
        title: 'First',
        description: '- [ ] one\n- [x] two\n@bob',
        labels: 'bug,urgent',
        assignee_ids: [ids.bob, ids.ada],
        due_date: '2026-12-01',
        weight: 3,
        issue_type: 'incident',
      });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        iid: 1,
        title: 'First',
        state: 'opened',
        labels: ['bug', 'urgent'],
        due_date: '2026-12-01',
        weight: 3,
        type: 'INCIDENT',
        subscribed: true,
        assignees: [{ username: 'bob' }, { username: 'ada' }],
        task_completion_status: { count: 2, completed_count: 1 },
        references: { short: '#1', relative: '#1', full: 'g/p#1' },
      });
      expect((await call('', 'GET', `${at}/1`)).body.title).toBe('First');
      const changed = await call('bob', 'PUT', `${at}/1`, {
        title: 'Renamed',
        add_labels: 'later',
        remove_labels: 'bug',
        assignee_ids: [],
        state_event: 'close',
        due_date: '',
        weight: null,
      });
      expect(changed.body).toMatchObject({
        title: 'Renamed',
        labels: ['later', 'urgent'],
        assignees: [],
        state: 'closed',
        closed_by: { username: 'bob' },
        due_date: null,
        weight: null,
      });
      expect(
        await titles('ada', `${at}?state=closed&labels=later&search=renam&not[labels]=bug&author_username=ada`),
      ).toEqual(['Renamed']);
      expect(await titles('ada', '/issues')).toEqual(['Renamed']);
      expect(await titles('bob', '/issues')).toEqual([]);
      expect(await titles('', `/groups/${group}/issues?labels=None`)).toEqual([]);
      expect((await call('ada', 'GET', `${at}?order_by=due_date&pagination=keyset&per_page=1`)).status).toBe(200);
      expect((await call('ada', 'GET', '/issues_statistics?scope=all')).body).toEqual({
        statistics: { counts: { all: 1, opened: 0, closed: 1 } },
      });
      expect((await call('bob', 'PUT', `${at}/1`, { state_event: 'reopen' })).body).toMatchObject({
        state: 'opened',
        closed_at: null,
      });
    });

    it('stay hidden where they are confidential, exactly like missing ones', async () => {
      const at = `/projects/${project}/issues`;
      const secret = await call('guest', 'POST', at, { title: 'Secret', confidential: true, assignee_ids: [ids.eve] });
      expect(secret.body.assignees).toMatchObject([{ username: 'eve' }]);
      const mine = await call('ada', 'POST', at, { title: 'Hidden', confidential: true });
      for (const user of ['', 'eve', 'guest']) {
        const hidden = await call(user, 'GET', `${at}/${mine.body.iid}`);
        expect([hidden.status, hidden.text]).toEqual([404, (await call(user, 'GET', `${at}/99999`)).text]);
        expect(await titles(user, `/groups/${group}/issues`)).not.toContain('Hidden');
        expect(await titles(user, at)).not.toContain('Hidden');
        expect(await titles(user, '/issues?scope=all')).not.toContain('Hidden');
        if (user === '') continue;
        expect((await call(user, 'PUT', `${at}/${mine.body.iid}`, { title: 'x' })).status).toBe(404);
        expect((await call(user, 'DELETE', `${at}/${mine.body.iid}`)).status).toBe(404);
      }
      for (const user of ['eve', 'guest', 'bob', 'ada']) expect(await titles(user, at)).toContain('Secret');
      for (const user of ['bob', 'ada']) expect(await titles(user, '/issues?scope=all')).toContain('Hidden');
      expect(await titles('', at)).not.toContain('Secret');
      expect((await system.api('GET', `/issues/${mine.body.id}`)).body.title).toBe('Hidden');

      const asked: [string, string, unknown?][] = [
        ['GET', 'participants'],
        ['GET', 'time_stats'],
        ['GET', 'closed_by'],
        ['GET', 'related_merge_requests'],
        ['GET', 'notes'],
        ['GET', 'discussions'],
        ['GET', 'award_emoji'],
        ['POST', 'notes', { body: 'x' }],
        ['POST', 'discussions', { body: 'x' }],
        ['POST', 'award_emoji', { name: 'star' }],
        ['POST', 'todo'],
        ['POST', 'subscribe'],
        ['POST', 'time_estimate', { duration: '1h' }],
        ['POST', 'add_spent_time', { duration: '1h' }],
        ['POST', 'move', { to_project_id: project }],
      ];
      for (const [method, below, body] of asked) {
        const hidden = await call('guest', method, `${at}/${mine.body.iid}/${below}`, body);
        const missing = await call('guest', method, `${at}/99999/${below}`, body);
        expect([method, below, hidden.status, hidden.text]).toEqual([method, below, 404, missing.text]);
      }
      await eventually(async () => {
        const feed = await call('ada', 'GET', `/projects/${project}/events`);
        expect(feed.text).toContain('Hidden');
      });
      for (const user of ['', 'eve', 'guest'])
        expect((await call(user, 'GET', `/projects/${project}/events`)).text).not.toContain('Hidden');
      expect((await call('eve', 'GET', `/users/${ids.ada}/events`)).text).not.toContain('Hidden');
    });

    it('are what their reader may do with them', async () => {
      const at = `/projects/${project}/issues`;
      const own = await call('eve', 'POST', at, { title: 'Mine', labels: 'x', assignee_ids: [ids.eve], iid: 500 });
      expect(own.body).toMatchObject({ labels: [], assignees: [] });
      expect(own.body.iid).not.toBe(500);
      const { iid } = own.body;
      const edited = await call('eve', 'PUT', `${at}/${iid}`, {
        title: 'Mine still',
        labels: 'x',
        state_event: 'close',
      });
      expect(edited.body).toMatchObject({ title: 'Mine still', labels: [], state: 'closed' });
      expect((await call('guest', 'PUT', `${at}/${iid}`, { title: 'x' })).status).toBe(403);
      expect((await call('guest', 'DELETE', `${at}/${iid}`)).status).toBe(403);
      expect((await call('bob', 'DELETE', `${at}/${iid}`)).status).toBe(403);
      expect((await call('eve', 'POST', `${at}/${iid}/time_estimate`, { duration: '1h' })).status).toBe(403);
      expect((await call('bob', 'POST', `${at}/${iid}/time_estimate`, { duration: '1h 30m' })).body).toMatchObject({
        time_estimate: 5400,
        human_time_estimate: '1h 30m',
      });
      expect((await call('bob', 'POST', `${at}/${iid}/add_spent_time`, { duration: '2h' })).status).toBe(201);
      expect((await call('bob', 'POST', `${at}/${iid}/add_spent_time`, { duration: '-3h' })).status).toBe(400);
      expect((await call('bob', 'POST', `${at}/${iid}/reset_spent_time`)).body.total_time_spent).toBe(0);
      expect((await call('bob', 'POST', `${at}/${iid}/subscribe`)).status).toBe(304);
      expect((await call('bob', 'POST', `${at}/${iid}/unsubscribe`)).body.subscribed).toBe(false);
      expect((await call('bob', 'POST', `${at}/${iid}/unsubscribe`)).status).toBe(304);
      expect((await call('bob', 'GET', `${at}/${iid}/participants`)).body).toHaveLength(2);
      const dated = await system.api('POST', at, {
        body: { title: 'Old', iid: 600, created_at: '2001-02-03T00:00:00Z', discussion_locked: true },
      });
      expect(dated.body).toMatchObject({ iid: 600, created_at: '2001-02-03T00:00:00.000Z', discussion_locked: true });
      expect((await system.api('POST', at, { body: { title: 'Old', iid: 600 } })).status).toBe(409);
      expect((await system.api('POST', at, { body: { title: 'Next' } })).body.iid).toBe(601);
      expect((await call('eve', 'DELETE', `${at}/${iid}`)).status).toBe(204);
      expect((await call('eve', 'GET', `${at}/${iid}`)).status).toBe(404);
    });

    it('carry notes, threads and reactions, which count', async () => {
      const at = `/projects/${project}/issues`;
      const made = (await call('ada', 'POST', at, { title: 'Talk' })).body;
      const one = `${at}/${made.iid}`;
      expect((await call('bob', 'POST', `${one}/notes`, { body: 'Hello' })).status).toBe(201);
      expect((await call('eve', 'POST', `${one}/discussions`, { body: 'Question' })).status).toBe(201);
      expect((await call('eve', 'POST', `${one}/award_emoji`, { name: 'thumbsup' })).status).toBe(201);
      const commands = await call('bob', 'POST', `${one}/notes`, {
        body: '/confidential\n/estimate 2h\n/spend 30m\n/due 2027-01-02\n/close\n/todo',
      });
      expect(commands.status).toBe(202);
      expect((await call('bob', 'GET', one)).body).toMatchObject({
        user_notes_count: 2,
        upvotes: 1,
        downvotes: 0,
        confidential: true,
        due_date: '2027-01-02',
        state: 'closed',
        time_stats: { time_estimate: 7200, total_time_spent: 1800 },
      });
      expect(
        (await call('bob', 'GET', `${one}/participants`)).body.map(({ username }: { username: string }) => username),
      ).toEqual(['ada', 'bob', 'eve']);
      expect(await titles('eve', `${at}?my_reaction_emoji=thumbsup`)).toEqual([]);
      expect((await call('eve', 'GET', `${one}/notes`)).status).toBe(404);
      expect((await call('bob', 'POST', `${one}/todo`)).status).toBe(304);
      expect((await call('ada', 'POST', `${one}/todo`)).body).toMatchObject({
        target_type: 'Issue',
        action_name: 'marked',
        target: { title: 'Talk' },
      });
      expect((await call('ada', 'GET', '/todos?type=Issue&action=marked')).body).toHaveLength(1);
      expect((await call('eve', 'POST', `${one}/todo`)).status).toBe(404);

      const described = await call('bob', 'POST', at, {
        title: 'Hush',
        description: 'Text\n/confidential\n/assign me',
      });
      expect(described.body).toMatchObject({
        description: 'Text',
        confidential: true,
        assignees: [{ username: 'bob' }],
      });
      expect((await call('eve', 'GET', `${at}/${described.body.iid}`)).status).toBe(404);
    });

    it('are for members alone, or for no one, where the project says so', async () => {
      const own = (
        await system.api('POST', '/projects', {
          body: {
            ...{ name: 'R', path: 'r', namespace_id: group, visibility: 'public' },
            ...{ issues_access_level: 'private', snippets_access_level: 'private' },
          },
        })
      ).body.id;
      const snippet = (
        await system.api('POST', `/projects/${own}/snippets`, {
          body: { title: 'Ours', visibility: 'public', file_name: 'a', content: 'x' },
        })
      ).body.id;
      const hidden = await call('eve', 'GET', `/projects/${own}/snippets/${snippet}`);
      expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Snippet Not Found' }]);
      expect((await call('eve', 'GET', `/projects/${own}/snippets`)).status).toBe(403);
      const at = `/projects/${own}/issues`;
      await system.api('POST', `/projects/${own}/members`, { body: { user_id: ids.guest, access_level: 10 } });
      expect((await call('guest', 'GET', `/projects/${own}/snippets/${snippet}`)).status).toBe(200);
      expect((await call('guest', 'POST', at, { title: 'Among us' })).status).toBe(201);
      expect(await titles('guest', at)).toEqual(['Among us']);
      expect((await call('eve', 'GET', at)).status).toBe(403);
      for (const below of ['', '/discussions', '/award_emoji', '/participants']) {
        const there = await call('eve', 'GET', `${at}/1${below}`);
        expect([below, there.status, there.body]).toEqual([
          below,
          404,
          (await call('eve', 'GET', `/projects/${project}/issues/999999${below}`)).body,
        ]);
      }
      expect((await call('', 'GET', `${at}/1`)).status).toBe(404);
      expect((await call('eve', 'PUT', `${at}/1`, { title: 'Mine' })).status).toBe(404);
      expect((await call('', 'GET', at)).status).toBe(401);
      expect(await titles('eve', '/issues?scope=all')).not.toContain('Among us');
      expect(await titles('guest', '/issues?scope=all')).toContain('Among us');
      await system.api('PUT', `/projects/${own}`, { body: { issues_access_level: 'disabled' } });
      expect(await titles('guest', at)).toEqual([]);
      expect((await call('guest', 'GET', `${at}/1`)).status).toBe(404);
      expect((await call('guest', 'POST', at, { title: 'x' })).status).toBe(403);
      expect(await titles('guest', '/issues?scope=all')).not.toContain('Among us');
    });

    it('move to another project', async () => {
      const at = `/projects/${project}/issues`;
      const other = (
        await system.api('POST', '/projects', {
          body: { name: 'Q', path: 'q', namespace_id: group, visibility: 'private' },
        })
      ).body.id;
      await system.api('POST', `/projects/${other}/labels`, { body: { name: 'kept', color: '#ff0000' } });
      const made = await system.api('POST', at, { body: { title: 'Wanderer', labels: 'kept,lost' } });
      const { iid } = made.body;
      const noted = (await call('bob', 'POST', `${at}/${iid}/notes`, { body: 'A note' })).body;
      await call('ada', 'POST', `${at}/${iid}/notes/${noted.id}/award_emoji`, { name: 'tada' });
      const thread = (await call('ada', 'POST', `${at}/${iid}/discussions`, { body: 'A thread' })).body;
      await call('bob', 'POST', `${at}/${iid}/discussions/${thread.id}/notes`, { body: 'An answer' });
      await call('bob', 'POST', `${at}/${iid}/award_emoji`, { name: 'thumbsup' });
      expect((await call('bob', 'POST', `${at}/${iid}/move`, { to_project_id: other })).status).toBe(404);
      expect((await system.api('POST', `${at}/${iid}/move`, { body: { to_project_id: project } })).body).toEqual({
        message: 'Cannot move issue to project it originates from!',
      });
      const moved = await system.api('POST', `${at}/${iid}/move`, { body: { to_project_id: other } });
      expect(moved.body).toMatchObject({ project_id: other, iid: 1, labels: ['kept'], state: 'opened', upvotes: 1 });
      expect(moved.body.user_notes_count).toBe(3);
      const copied = (await system.api('GET', `/projects/${other}/issues/1/discussions`)).body as {
        id: string;
        notes: { id: number; body: string; author: { username: string } }[];
      }[];
      const [copy] = copied.flatMap(({ notes }) => notes).filter(({ body }) => body === 'A note');
      expect(
        (await system.api('GET', `/projects/${other}/issues/1/notes/${copy?.id}/award_emoji`)).body.map(
          ({ name }: { name: string }) => name,
        ),
      ).toEqual(['tada']);
      const said = copied.filter(({ notes }) => notes.some(({ body }) => body.startsWith('A')));
      expect(said.map(({ notes }) => notes.map(({ body, author }) => `${author.username}: ${body}`))).toEqual([
        ['bob: A note'],
        ['ada: A thread', 'bob: An answer'],
      ]);
      expect(copied.map(({ id }) => id)).not.toContain(thread.id);
      expect((await system.api('POST', `/projects/${other}/issues/1/notes`, { body: { body: 'More' } })).status).toBe(
        201,
      );
      expect((await system.api('GET', `/projects/${other}/issues/1`)).body.user_notes_count).toBe(4);
      expect((await system.api('GET', `${at}/${iid}`)).body).toMatchObject({
        state: 'closed',
        moved_to_id: moved.body.id,
      });
      expect((await system.api('POST', `${at}/${iid}/move`, { body: { to_project_id: other } })).status).toBe(400);
      const notes = async (path: string) =>
        (await system.api('GET', `${path}/notes`)).body.map(({ body }: { body: string }) => body);
      await eventually(async () => {
        expect(await notes(`${at}/${iid}`)).toContainEqual(expect.stringMatching(/^moved to .+\/q#1$/));
        expect(await notes(`/projects/${other}/issues/1`)).toContainEqual(
          expect.stringMatching(new RegExp(`^moved from .+#${iid}$`)),
        );
      });
      expect((await call('bob', 'GET', `${at}/${iid}/notes`)).body).not.toContainEqual(
        expect.objectContaining({ body: expect.stringMatching(/^moved/) }),
      );
    });

    it('are closed by a merge request that lands in the default branch, as far as the merging user may', async () => {
      const secret = (
        await system.api('POST', '/projects', {
          body: { name: 'Vault', path: 'vault', namespace_id: group, visibility: 'private' },
        })
      ).body.id;
      const make = async (where: number, title: string) =>
        (await system.api('POST', `/projects/${where}/issues`, { body: { title } })).body;
      const [here, named, hidden] = [
        await make(project, 'Here'),
        await make(project, 'Named'),
        await make(secret, 'Vault'),
      ];
      const at = `/projects/${project}`;
      const write = (branch: string, start: string | undefined, file: string) =>
        system.api('POST', `${at}/repository/commits`, {
          body: {
            branch,
            start_branch: start,
            commit_message: 'c',
            actions: [{ action: 'create', file_path: file, content: 'x' }],
          },
        });
      await write('main', undefined, 'a');
      await write('fix', 'main', 'b');
      const request = await call('ada', 'POST', `${at}/merge_requests`, {
        source_branch: 'fix',
        target_branch: 'main',
        title: 'Fix',
        description: `Closes #${here.iid} and ${system.url}/g/vault/-/issues/${hidden.iid}. See #${named.iid}.`,
      });
      const mr = `${at}/merge_requests/${request.body.iid}`;
      await eventually(async () =>
        expect((await call('ada', 'GET', `${at}/issues/${here.iid}/closed_by`)).body).toHaveLength(1),
      );
      expect(await titles('ada', `${mr}/closes_issues`)).toEqual(['Here']);
      expect(await titles('ada', `${mr}/related_issues`)).toEqual(['Here', 'Named']);
      expect((await system.api('GET', `${mr}/closes_issues`)).body).toHaveLength(2);
      expect((await call('ada', 'GET', `${at}/issues/${named.iid}/closed_by`)).body).toEqual([]);
      expect((await call('ada', 'GET', `${at}/issues/${named.iid}/related_merge_requests`)).body).toMatchObject([
        { title: 'Fix' },
      ]);
      expect((await call('ada', 'GET', `${at}/issues/${here.iid}`)).body.merge_requests_count).toBe(1);
      await eventually(async () => expect((await call('ada', 'PUT', `${mr}/merge`)).status).toBe(200));
      await eventually(async () =>
        expect((await call('ada', 'GET', `${at}/issues/${here.iid}`)).body).toMatchObject({
          state: 'closed',
          closed_by: { username: 'ada' },
        }),
      );
      expect((await system.api('GET', `${at}/issues/${named.iid}`)).body.state).toBe('opened');
      expect((await system.api('GET', `/projects/${secret}/issues/${hidden.iid}`)).body.state).toBe('opened');
    });

    it('serve the unmodified GitLab client', async () => {
      const { Issues, IssuesStatistics } = system.gitlab(tokens.ada);
      const made = await Issues.create(project, 'By the client', { labels: 'client', assigneeId: ids.bob as number });
      const { iid } = made;
      expect(made).toMatchObject({ title: 'By the client', labels: ['client'], assignees: [{ username: 'bob' }] });
      expect(await Issues.show(iid, { projectId: project })).toMatchObject({ id: made.id });
      await Issues.edit(project, iid, { addLabels: 'more', dueDate: '2027-03-04', stateEvent: 'close' });
      const found = await Issues.all({
        projectId: project,
        labels: 'client,more',
        state: 'closed',
        withLabelsDetails: true,
      });
      expect(found).toMatchObject([{ iid, due_date: '2027-03-04', labels: [{ name: 'client' }, { name: 'more' }] }]);
      const pages = await Issues.all({ scope: 'all', pagination: 'keyset', perPage: 3 });
      expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
      expect(pages.length).toBeGreaterThan(3);
      expect(await Issues.addTimeEstimate(project, iid, '2h')).toMatchObject({ time_estimate: 7200 });
      expect(await Issues.addSpentTime(project, iid, '1h')).toMatchObject({ total_time_spent: 3600 });
      expect(await Issues.showTimeStats(project, iid)).toMatchObject({ human_total_time_spent: '1h' });
      expect((await Issues.allParticipants(project, iid)).map(({ username }) => username).sort()).toEqual([
        'ada',
        'bob',
      ]);
      expect(await Issues.unsubscribe(project, iid)).toMatchObject({ subscribed: false });
      expect(await Issues.createTodo(project, iid)).toMatchObject({ target_type: 'Issue' });
      expect(await Issues.allRelatedMergeRequests(project, iid)).toEqual([]);
      expect(await IssuesStatistics.all({ projectId: project, labels: 'client' })).toMatchObject({
        statistics: { counts: { all: 1, closed: 1, opened: 0 } },
      });
      await Issues.remove(project, iid);
      await expect(Issues.show(iid, { projectId: project })).rejects.toThrow(/Not [Ff]ound/);
    });
  });
