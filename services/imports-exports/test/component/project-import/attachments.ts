import { eventually } from '@switchyard/testkit';
import { at, endsAs, forge, here, imports, others, row, start, user } from './harness';

export const attachmentTests = (): void =>
  describe('files that texts link to', () => {
    const asset = (name: string) => `${forge.url}/user-attachments/assets/${name}`;
    const by = { user: { login: 'octocat' }, created_at: at, updated_at: at };
    const texts = (body: (name: string) => string) => {
      const issue = { number: 1, title: 'One', body: body('a'), state: 'open', labels: [], assignees: [], ...by };
      const branch = { ref: 'x', sha: 'a'.repeat(40), user: by.user, repo: { full_name: 'octo/things' } };
      const on = `${forge.url}/repos/octo/things`;
      Object.assign(forge.contents.lists, {
        issues: [issue],
        'issues/comments': [{ id: 1, issue_url: `${on}/issues/1`, body: body('b'), ...by }],
        pulls: [{ number: 7, title: 'Seven', body: body('c'), state: 'open', head: branch, base: branch, ...by }],
        'pulls/comments': [
          {
            ...{ id: 2, pull_request_url: `${on}/pulls/7`, path: 'a', line: 1, side: 'RIGHT', body: body('d'), ...by },
            ...{ commit_id: 'b'.repeat(40), original_commit_id: 'b'.repeat(40) },
          },
        ],
        'pulls/7/reviews': [{ id: 3, state: 'COMMENTED', body: body('e'), submitted_at: at, user: by.user }],
        releases: [
          { tag_name: 'v1', draft: false, body: body('f'), author: by.user, created_at: at, published_at: at },
        ],
      });
    };
    const written = () => [
      ...others.issues.map(({ description }) => description),
      ...[...others.notes.values()].map(({ body }) => body),
      ...others.pulls.map(({ description }) => description),
      ...others.releases.map(({ description }) => description),
    ];
    const counts = (fetched: number, imported: number) => ({
      stats: { fetched: { attachment: fetched }, imported: { attachment: imported } },
      progress: { attachments: { fetched, imported } },
    });

    it('come over with their texts, each of them once; one that is gone keeps its link and is named', async () => {
      texts((name) => `![shot](${asset(name)}) ${asset('all')} ${asset('gone')} ${forge.url}/octo/things/issues/1`);
      const { id } = await start({ attachmentsImport: true });
      const shown = await endsAs(id, 'finished');
      const link = (name: string) =>
        `![shot](/uploads/s/${name}) ![all](/uploads/s/all) ${asset('gone')} ${forge.url}/octo/things/issues/1`;
      expect(written().sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(link));
      expect(others.files.map(({ url }) => url.split('/').pop()).sort()).toEqual(
        ['a', 'all', 'b', 'c', 'd', 'e', 'f', 'gone'].sort(),
      );
      expect(others.files[0]).toMatchObject({
        projectId: id,
        authorization: `Bearer ${forge.token}`,
        uploaderId: user.id,
      });
      expect(shown).toMatchObject(counts(8, 7));
      expect(shown.failed_relations).toMatchObject([
        { relation_name: 'issues', source: asset('gone'), exception_message: 'The forge answered 404' },
      ]);
    });

    it('are waited for while the forge asks for a pause, and are left out when it goes on asking', async () => {
      texts((name) => (name === 'a' ? asset(name) : ''));
      const later = { reason: 'The forge answered 429', mayPass: true, retryAfter: 300 };
      others.fileProblems = Array.from({ length: 8 }, () => later);
      const { id } = await start({ attachmentsImport: true });
      await eventually(async () => expect((await row(id))?.left).toBeGreaterThan(250));
      const shown = await endsAs(id, 'finished');
      expect([others.files.length, written()[0]]).toEqual([6, asset('a')]);
      expect(shown).toMatchObject(counts(1, 0));
      // A refresh tries again, and asks for no other one.
      Object.assign(others, { files: [], fileProblems: [], notes: new Map(), pulls: [], releases: [] });
      const none = { username: '', password: '', serverUsername: '' };
      const request = { ...none, projectId: id, personalAccessToken: forge.token };
      Object.assign(forge.contents.lists.issues?.[0] as object, {
        updated_at: new Date(Date.now() + 60_000).toISOString(),
      });
      await imports.refreshProjectImport(request, here.as(user, { id, level: 40 }));
      expect(await endsAs(id, 'finished')).toMatchObject(counts(1, 1));
      expect([others.files.length, others.issues[0]?.description]).toEqual([1, '![a](/uploads/s/a)']);
    });

    it('stay at the forge where they are not asked for', async () => {
      texts(asset);
      const { id } = await start();
      expect(await endsAs(id, 'finished')).toMatchObject({ progress: { attachments: null } });
      expect([others.files, others.issues[0]?.description]).toEqual([[], asset('a')]);
    });
  });
