import { notFound } from '@switchyard/errors';
import { anonymous } from '@switchyard/rpc';
import { startFakeForgebServer } from '@switchyard/testkit/forge';
import { json } from '@switchyard/testkit/installation';
import { at, cloud, endsAs, here, imports, listed, others, tokens, user } from './harness';

export const forgebTests = (): void =>
  describe('from forgeb', () => {
    const startCloud = async (given: object = {}) =>
      json(
        await imports.startForgebImport(
          {
            ...{ username: cloud.username, password: cloud.password, repoPath: 'octo/things', targetNamespace: 'acme' },
            ...{ newName: '', attachmentsImport: false, ...given },
          },
          here.as(user),
        ),
      ) as { id: number };

    it('cloud: brings over repository, milestones, issues and comments, and erases the password (G-4.19-4)', async () => {
      Object.assign(cloud.contents.lists, {
        milestones: [{ id: 3, name: 'v3' }],
        issues: [1, 2].map((id) => ({
          ...{
            id,
            title: `Issue ${id}`,
            content: { raw: 'See #2' },
            state: id === 1 ? 'resolved' : 'new',
            kind: 'bug',
          },
          ...{
            milestone: { id: 3, name: 'v3' },
            reporter: { nickname: 'ada' },
            assignee: null,
            created_on: at,
            updated_on: at,
          },
        })),
        'issues/2/comments': [
          { id: 9, content: { raw: 'Nice' }, user: { nickname: 'grace' }, created_on: at, updated_on: null },
        ],
      });
      const { id } = await startCloud();
      const ended = await endsAs(id, 'finished');
      expect(ended).toMatchObject({ import_type: 'bitbucket', import_error: null, path_with_namespace: 'acme/things' });
      expect(ended).not.toHaveProperty('stats');
      expect(others.repositories).toEqual([
        {
          ...{ projectId: id, actorId: user.id, url: `${cloud.url}/octo/things.git` },
          ...{ authorization: `Basic ${Buffer.from('octocat:app-password').toString('base64')}`, headsPattern: '' },
        },
      ]);
      expect([...others.labels]).toEqual(['bug', 'enhancement', 'proposal', 'task']);
      expect(others.milestones).toMatchObject([{ iid: 3, title: 'v3' }]);
      expect(others.issues).toMatchObject([
        {
          iid: 1,
          labels: ['bug'],
          milestoneIid: 3,
          milestoneTitle: 'v3',
          closedAt: new Date(at),
          description: 'See #2',
        },
        { iid: 2, closedAt: undefined },
      ]);
      expect([...others.notes.values()]).toMatchObject([
        {
          key: '9',
          noteableType: 'Issue',
          noteableIid: 2,
          authorId: others.placeholders.get(`${id}:login:grace`),
          body: 'Nice',
        },
      ]);
      expect(await tokens()).toEqual([]);
    });

    it('cloud: two people of one nickname are two, and one who is renamed stays one', async () => {
      const accounts = [
        `557058:${'a'.repeat(8)}-1`,
        `557058:${'a'.repeat(8)}-2`,
        `{${'0'.repeat(8)}-0000-4000-8000-000000000003}`,
      ];
      const [ada, other, team] = accounts as [string, string, string];
      const comment = (id: number, user: object) => ({ id, content: { raw: 'x' }, user, created_on: at });
      Object.assign(cloud.contents.lists, {
        issues: [
          { id: 1, title: 'One', content: { raw: '' }, state: 'new', reporter: null, created_on: at, updated_on: at },
        ],
        'issues/1/comments': [
          comment(1, { account_id: ada, nickname: 'ada' }),
          comment(2, { account_id: other, nickname: 'ada' }),
          comment(3, { account_id: ada, nickname: 'renamed' }),
          comment(4, { uuid: team, display_name: 'Team' }),
          comment(5, { account_id: 'x/../y', nickname: ada.replace(':', '') }),
        ],
      });
      Object.assign(cloud.contents.users, {
        [ada]: { account_id: ada, nickname: 'renamed', display_name: 'Ada' },
        [other]: { account_id: other, nickname: 'ada', display_name: 'Other' },
      });
      const { id } = await startCloud();
      await endsAs(id, 'finished');
      const people = await listed(id);
      expect(people).toMatchObject([
        { source_user_identifier: ada, source_username: 'renamed', source_name: 'Ada' },
        { source_user_identifier: other, source_username: 'ada', source_name: 'Other' },
        { source_user_identifier: team, source_username: team, source_name: null },
        { source_user_identifier: `login:${ada.replace(':', '')}` },
      ]);
      const by = (foreignId: string) => others.placeholders.get(`${id}:${foreignId}`);
      expect([...others.notes.values()].map(({ authorId }) => authorId)).toEqual(
        [ada, other, ada, team, `login:${ada.replace(':', '')}`].map(by),
      );
    });

    it('server: brings over the repository, into the namespace of the caller without another one (G-4.19-5)', async () => {
      const pull = {
        ...{ id: 4, title: 'Pull', description: 'See #4', state: 'DECLINED', author: { user: { slug: 'ada' } } },
        ...{ createdDate: Date.parse(at), updatedDate: Date.parse(at), toRef: { displayId: 'main' } },
        fromRef: {
          displayId: 'topic',
          latestCommit: 'a'.repeat(40),
          repository: { slug: 'things', project: { key: 'OCTO' } },
        },
      };
      const replies = Array.from({ length: 120 }, (_, index) => ({
        ...{ id: 100 + index, text: `Reply ${index}`, author: { slug: 'ada' } },
        ...{ createdDate: Date.parse(at), updatedDate: Date.parse(at) },
      }));
      const grace = here.directory.user({ confirmedEmails: ['grace@example.com'], admin: true });
      const server = await startFakeForgebServer({
        lists: {
          'pull-requests': [pull],
          'pull-requests/4/activities': [
            { id: 9, action: 'DECLINED', user: { slug: 'ada' }, createdDate: Date.parse(at) },
            ...[8, 7].map((id) => ({
              ...{ id, action: id === 8 ? 'UNAPPROVED' : 'APPROVED', user: { slug: 'grace' } },
              createdDate: Date.parse(at) + id,
            })),
            { action: 'COMMENTED', comment: { ...replies[0], comments: replies.slice(1) } },
          ],
        },
        users: {
          ada: { slug: 'ada', emailAddress: 'nobody@example.com' },
          grace: { id: 2, slug: 'grace', emailAddress: 'grace@example.com' },
        },
      });
      const given = {
        ...{ serverUrl: `${server.url}/`, username: server.username, personalAccessToken: server.token },
        ...{ project: 'OCTO', repo: 'things', newName: 'renamed', targetNamespace: '', timeoutStrategy: 'pessimistic' },
        attachmentsImport: true,
      };
      // Who imports is the one who has decided, the newest first.
      const { actor = anonymous, ...options } = here.as(grace);
      const asAda = { ...options, actor: { ...actor, username: 'ada' } };
      here.directory.member(grace.id, { namespaceId: others.namespaceId }, 40);
      const begin = async (changed: object = {}) =>
        json(await imports.startForgebServerImport({ ...given, ...changed }, asAda));
      const { id } = (await begin()) as { id: number };
      expect(await endsAs(id, 'finished')).toMatchObject({
        ...{ import_type: 'bitbucket_server', path_with_namespace: 'ada/renamed' },
      });
      expect(others.repositories).toMatchObject([
        { url: `${server.url}/scm/OCTO/things.git`, headsPattern: 'refs/pull-requests/*/from' },
      ]);
      expect(others.pulls).toMatchObject([
        {
          iid: 4,
          state: 'closed',
          sourceBranch: 'topic',
          description: 'See #4',
          closedAt: new Date(at),
        },
      ]);
      expect(others.notes.size).toBe(121);
      expect(others.reviews).toMatchObject([{ review: { userId: grace.id, state: 'unapproved' } }]);
      expect(others.events.pulls).toMatchObject([{ key: '9.0', iid: 4, kind: 'state', action: 'closed' }]);
      await expect(begin({ serverUrl: 'http://10.0.0.1' })).rejects.toMatchObject({
        ...{ kind: 'invalid', body: { message: { error: 'Invalid URL: http://10.0.0.1' } } },
      });
      await server.close();
    });

    it.each([
      ['a password that is not right', { password: 'x' }, 'unauthorized', 'Wrong credentials'],
      ['a name with a colon', { username: 'a:b' }, 'unauthorized', 'Wrong credentials'],
      [
        'a repository that is not there',
        { repoPath: 'octo/other' },
        'not_found',
        'Import failed due to an error of the forge: The forge answered 404',
      ],
      [
        'a path that leads elsewhere',
        { repoPath: 'octo/../../user' },
        'not_found',
        'Import failed due to an error of the forge: The forge has no repository of this name',
      ],
    ])('refuses %s in the form of its family (G-4.19-7)', async (_, given, kind, error) => {
      await expect(startCloud(given)).rejects.toMatchObject({ kind, body: { message: { error } } });
    });

    it('says in that form what groups-admin and the forge refuse', async () => {
      others.refusal = notFound('Namespace');
      await expect(startCloud()).rejects.toMatchObject({
        kind: 'unprocessable',
        body: { message: { error: 'Namespace or group to import repository into does not exist.' } },
      });
      cloud.breakNext(/things/, (_, response) => response.writeHead(403).end());
      await expect(startCloud()).rejects.toMatchObject({
        kind: 'forbidden',
        body: { message: { error: 'Import failed due to an error of the forge: The forge answered 403' } },
      });
    });
  });
