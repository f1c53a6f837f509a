import { at, endsAs, forge, here, others, start } from './harness';

export const pullRequestTests = (): void =>
  describe('pull requests', () => {
    const [head, base, merge, before] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40));
    const by = (login: string) => ({ login });
    const pull = (number: unknown, more: object = {}) => ({
      ...{ number, title: `Pull ${number}`, body: 'See #1', state: 'open', draft: false, user: by('octocat') },
      ...{
        labels: [{ name: 'bug' }],
        milestone: { number: 3, title: 'v3' },
        assignees: [by('octocat')],
        requested_reviewers: [],
      },
      ...{ locked: false, merge_commit_sha: merge, merged_at: null, closed_at: null, created_at: at, updated_at: at },
      head: { ref: 'feature', sha: head, user: by('octo'), repo: { full_name: 'Octo/things' } },
      base: { ref: 'main', sha: base, user: by('octo'), repo: { full_name: 'octo/things' } },
      ...more,
    });
    const comment = (id: unknown, more: object = {}) => ({
      ...{
        id,
        pull_request_url: 'https://forge.example/repos/octo/things/pulls/7',
        path: 'a.txt',
        user: by('octocat'),
      },
      ...{ commit_id: head, original_commit_id: before, line: 10, original_line: 9, side: 'RIGHT', diff_hunk: '@@' },
      ...{ body: `Comment ${id}`, created_at: at, updated_at: at },
      ...more,
    });
    const review = (id: number, state: string, more: object = {}) => ({
      ...{ id, state, user: by('octocat'), body: '', submitted_at: at },
      ...more,
    });
    const event = (id: number, kind: string, more: object = {}) => ({
      ...{ id, event: kind, actor: by('octocat'), issue: { number: 7, pull_request: {} }, created_at: at },
      ...more,
    });
    let octocat: { readonly id: number; readonly username: string };

    beforeEach(() => {
      const email = `octo${here.directory.changes.length}@example.com`;
      octocat = here.directory.user({ confirmedEmails: [email] });
      here.directory.member(octocat.id, { namespaceId: others.namespaceId }, 40);
      forge.contents.users.octocat = { id: 1, login: 'octocat', email };
      forge.contents.users.hubot = { id: 2, login: 'hubot', email: null };
    });
    const hubot = (id: number) => others.placeholders.get(`${id}:2`);

    it('come over in all states, a fork by a branch of its own', async () => {
      forge.contents.lists.pulls = [
        pull(7, { state: 'closed', merged_at: at, closed_at: at, requested_reviewers: [by('octocat'), by('hubot')] }),
        pull(8, {
          state: 'closed',
          closed_at: at,
          user: by('hubot'),
          head: { ...pull(8).head, repo: null, user: null },
        }),
        pull(9, { draft: true, head: { ...pull(9).head, repo: { full_name: 'octo/fork' } } }),
        pull(10, { head: { ...pull(10).head, sha: 'HEAD' } }),
        pull(11, { created_at: '0000-00-00' }),
      ];
      const { id } = await start({}, octocat);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { pull_request: 5 }, imported: { pull_request: 3, diff_note: 0, pull_request_review: 0 } },
      });
      const [merged, closed, opened] = others.pulls;
      expect(merged).toMatchObject({
        ...{ iid: 7, authorId: octocat.id, state: 'merged', sourceBranch: 'feature', targetBranch: 'main' },
        ...{
          mergeCommitSha: merge,
          mergedAt: new Date(at),
          closedAt: undefined,
          milestoneIid: 3,
          milestoneTitle: 'v3',
          labels: ['bug'],
        },
        ...{
          assigneeIds: [octocat.id],
          reviewers: [{ userId: octocat.id, state: 'unreviewed' }, { userId: hubot(id) }],
        },
        diffs: [{ startSha: base, headSha: head }],
      });
      expect(closed).toMatchObject({
        ...{
          iid: 8,
          state: 'closed',
          closedAt: new Date(at),
          mergeCommitSha: '',
          sourceBranch: 'github/fork/ghost/feature',
        },
        ...{ authorId: hubot(id), description: 'See #1' },
      });
      expect(opened).toMatchObject({ iid: 9, state: 'opened', draft: true, sourceBranch: 'github/fork/octo/feature' });
    });

    it('have their comments at their lines, outdated ones at those on which they were written, in their threads', async () => {
      forge.contents.lists.pulls = [pull(7)];
      forge.contents.lists['pulls/comments'] = [
        comment(1),
        comment(2, { line: null, in_reply_to_id: 1, side: 'LEFT', user: by('hubot') }),
        comment(3, { line: null, original_line: null }),
        comment(4, { path: 7 }),
        comment(5, { pull_request_url: 'https://forge.example/../x' }),
      ];
      const { id } = await start({}, octocat);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { diff_note: 5 }, imported: { diff_note: 3 } },
      });
      const on = { noteableType: 'MergeRequest', noteableIid: 7, system: false };
      expect([...others.notes.values()]).toMatchObject([
        {
          ...{ ...on, key: 'diff_note:1', thread: '1', authorId: octocat.id, body: 'Comment 1' },
          place: { commitSha: head, path: 'a.txt', line: 10, oldSide: false, hunk: '@@' },
        },
        {
          ...{ ...on, key: 'diff_note:2', thread: '1', authorId: hubot(id) },
          place: { commitSha: before, line: 9, oldSide: true },
        },
        { ...on, key: 'diff_note:3', thread: '3', place: { commitSha: before, line: 0 } },
      ]);
    });

    it('have their reviews: what was decided in the end, and all that was said; each is asked for once', async () => {
      forge.contents.lists.pulls = [pull(7), pull(12)];
      forge.contents.lists['pulls/7/reviews'] = [
        review(1, 'CHANGES_REQUESTED', { body: 'No' }),
        review(2, 'APPROVED'),
        review(3, 'COMMENTED', { body: 'Well' }),
        review(4, 'APPROVED', { user: by('hubot') }),
        review(5, 'PENDING'),
        review(6, 'COMMENTED'),
      ];
      const { id } = await start({}, octocat);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { pull_request_review: 6 }, imported: { pull_request_review: 5 } },
      });
      expect(others.reviews).toMatchObject([
        { mergeRequestIid: 7, review: { userId: octocat.id, state: 'approved', createdAt: new Date(at) } },
      ]);
      expect([...others.notes.values()].map(({ key, system, body }) => [key, system, body])).toEqual([
        ['review:1#', true, 'requested changes'],
        ['review:1', false, 'No'],
        ['review:2#', true, 'approved this merge request'],
        ['review:3', false, 'Well'],
        ['review:4#', true, 'approved this merge request'],
      ]);
      const asked = forge.requests
        .map(({ url }) => /pulls.\d+.reviews/.exec(url)?.[0])
        .filter((url) => url !== undefined);
      expect(asked).toEqual(['pulls/7/reviews', 'pulls/12/reviews']);
    });

    it('and issues have what was done to them: events of state, labels and milestone, and notes', async () => {
      forge.contents.lists['issues/events'] = [
        event(1, 'labeled', { label: { name: 'bug' } }),
        event(2, 'merged'),
        event(3, 'closed'),
        event(4, 'renamed', { rename: { from: 'a', to: 'b' } }),
        event(5, 'mentioned'),
        event(6, 'closed', { issue: { number: 1 }, actor: by('hubot') }),
        event(7, 'assigned', { issue: { number: 1 }, assignee: by('hubot') }),
        event(8, 'milestoned', { issue: { number: 1 }, milestone: { title: 'v1' } }),
        event(9, 'labeled', { issue: {} }),
        event(10, 'unassigned', { issue: { number: 1 }, assignee: by('octocat') }),
        event(11, 'assigned', { issue: { number: 1 }, assignee: by('a` @boss `') }),
      ];
      const { id } = await start({}, octocat);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { issue_event: 11 }, imported: { issue_event: 8 } },
      });
      const createdAt = new Date(at);
      expect(others.events).toMatchObject({
        pulls: [
          { key: '1', iid: 7, kind: 'label', action: 'add', title: 'bug', userId: octocat.id, createdAt },
          { key: '2', iid: 7, kind: 'state', action: 'merged', title: '', userId: octocat.id },
        ],
        issues: [
          { key: '6', iid: 1, kind: 'state', action: 'closed', userId: hubot(id) },
          { key: '8', iid: 1, kind: 'milestone', action: 'add', title: 'v1' },
        ],
      });
      expect([...others.notes.values()]).toMatchObject([
        {
          key: 'event:4',
          noteableType: 'MergeRequest',
          system: true,
          action: 'title',
          body: 'changed the title to **b**',
        },
        {
          key: 'event:7',
          noteableType: 'Issue',
          system: true,
          action: 'assignee',
          body: 'assigned to `hubot`',
          createdAt,
        },
        { key: 'event:10', body: `unassigned @${octocat.username}` },
        { key: 'event:11', body: 'assigned to `a @boss `' },
      ]);
    });

    it('releases come over once they are published', async () => {
      const release = { tag_name: 'v1', name: null, body: 'Notes', draft: false, author: by('octocat') };
      forge.contents.lists.releases = [
        { ...release, created_at: at, published_at: '2020-02-03T04:05:06Z' },
        { ...release, draft: true, created_at: at, published_at: null },
      ];
      const { id } = await start({}, octocat);
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { release: 2 }, imported: { release: 1 } },
      });
      expect(others.releases).toEqual([
        {
          ...{ tag: 'v1', name: '', description: 'Notes', authorId: octocat.id },
          ...{ createdAt: new Date(at), releasedAt: new Date('2020-02-03T04:05:06Z') },
        },
      ]);
    });
  });
