import type { ApiReply, System } from '../support/system';

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
type Item = any;

/** Texts that show nothing. */
const blanks = [' \t\n', '\u200b\u2060\ufeff', '\u3164\u115f\u2800\u00ad\ufe0f', '\u200e\u202e'];

/** Texts that a line cannot show. */
const unshowables = ['a\r\nX-Injected: 1', 'a\u001b[31mb', 'a\u2028b', 'ada\u202egpj.exe'];

/** Texts that show, and how they are stored. */
const shown = [
  ['  Cafe\u0301 ', 'Café'],
  ['crew 👩‍🚀 🇩🇪 👍🏽', 'crew 👩‍🚀 🇩🇪 👍🏽'],
  ['می‌خواهم', 'می‌خواهم'],
] as const;

/** One installation: titles and names as people see them. */
export const displayTextTests = (started: () => System): void =>
  describe('texts of one line', () => {
    let system: System;
    let project: Item;
    let at: string;
    let serial = 0;
    const next = (): string => {
      serial += 1;
      return `t${serial}`;
    };
    const send = (method: string, path: string, body: unknown): Promise<ApiReply> => system.api(method, path, { body });
    const ok = async (path: string, body: unknown): Promise<Item> => {
      const reply = await send('POST', path, body);
      if (reply.status >= 300) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`);
      return reply.body;
    };
    const user = (given: object): object => ({
      email: `${next()}@example.com`,
      username: next(),
      name: 'Ada',
      force_random_password: true,
      skip_confirmation: true,
      ...given,
    });

    beforeAll(async () => {
      system = started();
      project = await ok('/projects', { name: 'texts', initialize_with_readme: true });
      at = `/projects/${project.id}`;
    });

    it('are refused blank and with what a line cannot show, everywhere; others are stored in one form', async () => {
      const group = await ok('/groups', { name: 'Texts', path: 'texts' });
      const issue = await ok(`${at}/issues`, { title: 'issue' });
      const label = await ok(`${at}/labels`, { name: 'label', color: '#112233' });
      const milestone = await ok(`${at}/milestones`, { title: 'milestone' });
      const person = await ok('/users', user({}));
      const snippet = (title: string) => ({ title, visibility: 'private', files: [{ file_path: 'a', content: 'x' }] });
      const made = await ok(`${at}/snippets`, snippet('snippet'));
      const hooks = `${at}/alert_management/http_integrations`;
      const hook = await ok(hooks, { name: 'hook', active: true });
      await ok(`${at}/repository/branches?branch=topic&ref=main`, {});
      const change = (message: string) => ({
        branch: 'topic',
        commit_message: message,
        actions: [{ action: 'create', file_path: next(), content: 'x' }],
      });
      await ok(`${at}/repository/commits`, change('Change'));
      const mr = await ok(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'mr' });
      const fields: [method: string, path: string, field: string, others: () => object][] = [
        ['POST', `${at}/issues`, 'title', () => ({})],
        ['PUT', `${at}/issues/${issue.iid}`, 'title', () => ({})],
        ['PUT', `${at}/merge_requests/${mr.iid}`, 'title', () => ({})],
        ['POST', `${at}/milestones`, 'title', () => ({})],
        ['PUT', `${at}/milestones/${milestone.id}`, 'title', () => ({})],
        ['POST', `${at}/labels`, 'name', () => ({ color: '#112233' })],
        ['PUT', `${at}/labels/${label.id}`, 'new_name', () => ({})],
        ['POST', `${at}/snippets`, 'title', () => snippet('')],
        ['PUT', `${at}/snippets/${made.id}`, 'title', () => ({})],
        ['POST', '/users', 'name', () => user({})],
        ['PUT', `/users/${person.id}`, 'name', () => ({})],
        ['POST', '/groups', 'name', () => ({ path: next() })],
        ['PUT', `/groups/${group.id}`, 'name', () => ({})],
        ['POST', '/projects', 'name', () => ({ path: next() })],
        ['PUT', at, 'name', () => ({})],
        ['POST', '/user/personal_access_tokens', 'name', () => ({ scopes: ['self_rotate'] })],
        ['POST', hooks, 'name', () => ({ active: true })],
        ['PUT', `${hooks}/${hook.id}`, 'name', () => ({})],
      ];
      const problems: string[] = [];
      const check = async (text: string, stored: string | undefined): Promise<void> => {
        for (const [method, path, field, others] of fields) {
          const reply = await send(method, path, { ...others(), [field]: text });
          const name = `${method} ${path} ${field}=${JSON.stringify(text)}: ${reply.status} ${reply.text.slice(0, 200)}`;
          // A project without a name is named after its path.
          const ownName = method === 'POST' && path === '/projects' && text.trim() === '';
          if (stored === undefined && !ownName && ![400, 422].includes(reply.status)) problems.push(name);
          if (stored !== undefined && (reply.status >= 300 || (reply.body.title ?? reply.body.name) !== stored))
            if (!/already/i.test(reply.text))
              // Only one label or milestone of a project has a title.
              problems.push(name);
        }
      };
      for (const text of [...blanks, ...unshowables]) await check(text, undefined);
      for (const [text, stored] of shown) await check(text, stored);
      expect(problems).toEqual([]);
    });

    it('are taken where they differ by their Unicode form alone, and are found by either', async () => {
      const [composed, parts] = ['Rés\u00e9rve', 'Re\u0301se\u0301rve'];
      await ok(`${at}/labels`, { name: composed, color: '#112233' });
      expect((await send('POST', `${at}/labels`, { name: parts, color: '#112233' })).status).toBe(409);
      const milestone = await ok(`${at}/milestones`, { title: composed });
      expect((await send('POST', `${at}/milestones`, { title: parts })).body.message.title).toHaveLength(1);
      await ok('/projects', { name: composed, path: next() });
      expect((await send('POST', '/projects', { name: parts, path: next() })).body.message).toEqual({
        name: ['has already been taken'],
      });
      const issue = await ok(`${at}/issues`, { title: 'Labelled', labels: [parts], milestone_id: milestone.id });
      expect(issue.labels).toEqual([composed]);
      for (const name of [composed, parts].map(encodeURIComponent)) {
        for (const query of [`labels=${name}`, `milestone=${name}`])
          expect((await send('GET', `${at}/issues?${query}`, undefined)).body).toMatchObject([{ iid: issue.iid }]);
        expect((await send('GET', `${at}/labels/${name}`, undefined)).body.name).toBe(composed);
        expect((await send('GET', `${at}/milestones?title=${name}`, undefined)).body).toMatchObject([
          { id: milestone.id },
        ]);
      }
      const removed = await send('PUT', `${at}/issues/${issue.iid}`, { remove_labels: parts });
      expect(removed.body.labels).toEqual([]);
    });

    it('that stand for something else in filters are no usernames, and addresses are nothing but addresses', async () => {
      for (const username of ['None', 'any', 'ANY', 'me', 'All'])
        expect((await send('POST', '/users', user({ username }))).body).toEqual({
          message: { username: [`${username} is a reserved name`] },
        });
      const addresses = [
        'a@b\r\nBcc: c@d',
        'a@b\n',
        'a b@c',
        'Ada <a@b>',
        'a@b\u0007',
        'a\u200b@b',
        'a@b\u0000',
        'a@\u3164',
      ];
      const person = await ok('/users', user({}));
      for (const email of addresses) {
        expect([email, (await send('POST', '/users', user({ email }))).status]).toEqual([email, 400]);
        for (const field of ['email', 'public_email', 'commit_email'])
          expect([email, field, (await send('PUT', `/users/${person.id}`, { [field]: email })).status]).toEqual([
            email,
            field,
            400,
          ]);
        const commit = {
          branch: 'main',
          commit_message: 'x',
          author_email: email,
          actions: [{ action: 'create', file_path: next(), content: 'x' }],
        };
        expect([email, (await send('POST', `${at}/repository/commits`, commit)).status]).toEqual([email, 400]);
      }
    });
  });
