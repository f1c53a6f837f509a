import { sql } from '@switchyard/database/sql';
import { unprocessable } from '@switchyard/errors';
import { eventually } from '@switchyard/testkit';
import { json } from '@switchyard/testkit/installation';
import { at, cancel, endsAs, forge, here, imports, label, others, start, tokens, user } from './harness';

export const refreshTests = (): void =>
  describe('a refresh (ADR 73)', () => {
    const dated = (time = at) => ({ created_at: time, updated_at: time });
    const soon = '2999-01-02T03:04:05Z';
    const octocat = { login: 'octocat' };
    const sha = 'a'.repeat(40);
    const issue = (number: number, more: object = {}) => ({
      ...{ number, title: `Issue ${number}`, body: null, state: 'open', user: octocat, ...dated(), ...more },
    });
    const comment = (id: number, more: object = {}) => ({
      ...{ id, issue_url: `${forge.url}/issues/1`, body: `Comment ${id}`, user: octocat, ...dated(), ...more },
    });
    const pull = (number: number, more: object = {}) => ({
      ...{ number, title: `Pull ${number}`, body: null, state: 'open', user: octocat, ...dated() },
      head: { ref: `branch-${number}`, sha, user: octocat, repo: { full_name: 'octo/things' } },
      base: { ref: 'main', sha, user: null, repo: null },
      ...more,
    });
    const event = (id: number, time = at) => ({
      ...{ id, event: 'closed', actor: octocat, issue: { number: 1 }, created_at: time },
    });
    const refresh = async (id: number, given: object = { personalAccessToken: forge.token }, by = user) => {
      const none = { personalAccessToken: '', username: '', password: '', serverUsername: '' };
      const request = { projectId: id, ...none, ...given };
      return json(await imports.refreshProjectImport(request, here.as(by, { id }))) as Record<string, unknown>;
    };
    /** Pages that the forge was asked for since, by their list. */
    const pages = (from: number) => {
      const lists = forge.requests.slice(from).map(({ url }) => /things\/([a-z/0-9]+)\?/.exec(url)?.[1] ?? '');
      return lists.filter((list) => list !== '').sort();
    };
    const imported = async () => {
      Object.assign(forge.contents.lists, {
        issues: Array.from({ length: 25 }, (_, index) => issue(index + 1)),
        'issues/comments': Array.from({ length: 25 }, (_, index) => comment(index + 1)),
        pulls: Array.from({ length: 25 }, (_, index) => pull(index + 101)),
        'issues/events': Array.from({ length: 25 }, (_, index) => event(index + 1)),
        releases: [{ tag_name: 'v1', draft: false, author: octocat, created_at: at, published_at: at }],
      });
      const { id } = await start();
      await endsAs(id, 'finished');
      Object.assign(others, {
        statuses: [],
        labelRequests: [],
        brought: [],
        repositories: [],
        releases: [],
        reviews: [],
      });
      others.events = { issues: [], pulls: [] };
      return id;
    };

    it('without news asks for one page of lists that say what changed, and writes nothing', async () => {
      const id = await imported();
      const from = forge.requests.length;
      expect(await refresh(id)).toMatchObject({ id, import_status: 'scheduled', import_source: 'octo/things' });
      const shown = await endsAs(id, 'finished');
      expect(shown).toMatchObject({ stats: { fetched: { label: 25, issue: 0, note: 0, pull_request: 0 } } });
      expect(others.statuses).toEqual(['scheduled', 'started', 'finished']);
      expect(pages(from)).toEqual([
        // One is the list of the newest, for their numbers.
        ...['issues', 'issues', 'issues/comments', 'issues/events', 'labels', 'labels', 'labels', 'milestones'],
        // That of reviews is a list of those that changed as well.
        ...['pulls', 'pulls', 'pulls/comments', 'releases'],
      ]);
      expect(others.repositories).toHaveLength(1);
      expect(others).toMatchObject({ brought: [], labelRequests: [], releases: [], events: { issues: [] } });
      expect(await tokens()).toEqual([]);
    });

    it('whose end is not announced at once is announced later, though the import ended in the same way', async () => {
      const id = await imported();
      Object.assign(others, { endRefusals: [unprocessable('groups-admin')], kept: ['refs/heads/main'] });
      await refresh(id);
      expect(await endsAs(id, 'finished')).toMatchObject({
        failed_relations: [{ relation_name: 'repository', source: 'refs/heads/main' }],
      });
      expect(others).toMatchObject({ statuses: ['scheduled', 'started', 'finished'], endRefusals: [] });
    });

    it('brings what is new and changed alone, and says what is known', async () => {
      const id = await imported();
      const { lists } = forge.contents;
      const changed = { updated_at: soon };
      // The last page stays as it was.
      lists.labels?.splice(3, 1, label('new'));
      lists.issues?.push(issue(26, dated(soon)));
      Object.assign(lists.issues?.[4] ?? {}, changed);
      Object.assign(lists['issues/comments']?.[20] ?? {}, changed);
      Object.assign(lists.pulls?.[7] ?? {}, changed, { state: 'closed', closed_at: soon });
      lists['issues/events']?.unshift(event(26, soon));
      lists.releases?.unshift({ tag_name: 'v2', draft: false, author: octocat, created_at: soon, published_at: soon });
      lists['pulls/108/reviews'] = [
        { id: 1, user: octocat, state: 'APPROVED', body: '', submitted_at: at },
        { id: 2, user: octocat, state: 'COMMENTED', body: 'New', submitted_at: soon },
      ];
      await refresh(id);
      await endsAs(id, 'finished');
      const known = others.brought[0]?.knownBefore;
      expect(Date.now() - (known?.getTime() ?? 0)).toBeGreaterThan(3_600_000);
      expect(others.brought).toMatchObject([
        { names: ['#5', '#26'] },
        { names: ['!108'] },
        { names: ['21'] },
        { names: ['review:1#', 'review:2'] },
      ]);
      expect(others.brought.every(({ knownBefore }) => knownBefore !== undefined)).toBe(true);
      expect(others.labelRequests.flatMap(({ labels }) => labels.map(({ title }) => title))).toEqual(['new']);
      expect(others.releases.map(({ tag }) => tag)).toEqual(['v2']);
      expect(others.events.issues).toMatchObject([{ key: '26' }]);
    });

    it('writes for nobody for whom another one might write', async () => {
      const member = here.directory.user({ confirmedEmails: ['known@example.com'] });
      const admin = here.directory.user({ admin: true });
      for (const one of [member, admin]) here.directory.member(one.id, { namespaceId: others.namespaceId }, 40);
      forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'known@example.com' };
      forge.contents.lists.issues = [issue(1)];
      const { id } = await start({}, { ...admin, admin: true });
      await endsAs(id, 'finished');
      expect(others.issues).toMatchObject([{ iid: 1, authorId: member.id }]);
      others.issues = [];
      forge.contents.lists.issues.push(issue(2, dated(soon)));
      await refresh(id);
      await endsAs(id, 'finished');
      expect(others.issues).toMatchObject([{ iid: 2, authorId: others.placeholders.get(`${id}:1`) }]);
    });

    it('lets in nobody where the import has kept no names of collaborators', async () => {
      const known = here.directory.user({ confirmedEmails: ['maintainer@example.com'] });
      here.directory.member(known.id, { namespaceId: others.namespaceId }, 40);
      forge.contents.users.octocat = { id: 1, login: 'octocat', email: 'maintainer@example.com' };
      forge.contents.lists.collaborators = [{ login: 'octocat', role_name: 'maintain' }];
      const { id } = await start({ collaboratorsImport: true }, known);
      await endsAs(id, 'finished');
      expect(others.members).toHaveLength(1);
      await here.db.query(sql`
      update import_stages s set known = '{}' from project_imports i where i.id = s.import_id and i.project_id = ${id}`);
      others.members = [];
      await refresh(id, { personalAccessToken: forge.token }, known);
      expect(await endsAs(id, 'finished')).toMatchObject({ stats: { fetched: { collaborator: 1 } } });
      expect(others.members).toEqual([]);
    });

    it('is for an import from a forge that has ended, with the credentials of its family (G-4.19-7)', async () => {
      await expect(refresh(999_999)).rejects.toMatchObject({ kind: 'not_found' });
      const id = await imported();
      await expect(refresh(id, { username: 'u', password: 'p' })).rejects.toMatchObject({
        kind: 'invalid_params',
        body: {
          error:
            'personal_access_token is missing, forgeb_username is not supported for this forge, forgeb_app_password is not supported for this forge',
        },
      });
      await expect(refresh(id, { personalAccessToken: 'other' })).rejects.toMatchObject({
        kind: 'unauthorized',
        body: { error: 'Wrong credentials' },
      });
      const { repository } = forge.contents;
      repository.id = 2;
      await expect(refresh(id)).rejects.toMatchObject({
        kind: 'unprocessable',
        body: { errors: 'The repository at the forge is not the one that was imported' },
      });
      repository.id = 1;
      let go = (): void => undefined;
      others.repositoryWait = new Promise((resolve) => {
        go = resolve;
      });
      const asked = await Promise.allSettled([refresh(id), refresh(id)]);
      expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await expect(refresh(id)).rejects.toMatchObject({ kind: 'bad_request' });
      await eventually(() => expect(others.repositories).toHaveLength(1));
      expect(await cancel(id)).toMatchObject({ import_status: 'canceled' });
      go();
      expect(await tokens()).toEqual([]);
      // What was cancelled may be done again.
      await eventually(async () => expect(await refresh(id)).toMatchObject({ import_status: 'scheduled' }));
      await endsAs(id, 'finished');
    });
  });
