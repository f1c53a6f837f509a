import { unavailable } from '@switchyard/errors';
import type { ForgeFault } from '@switchyard/testkit/forge';
import { endsAs, forge, ghost, issue, label, milestone, others, start } from './harness';

export const oddForgeTests = (): void =>
  describe('a forge that is away or odd', () => {
    it('a forge that is away, breaks off or sends something else is asked again', async () => {
      const faults: ForgeFault[] = [
        (_, response) => void response.destroy(),
        (_, response) => void response.writeHead(502).end('<html>'),
        (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"name":"half'),
        (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"labels":[]}'),
      ];
      for (const fault of faults) forge.breakNext(/labels/, fault);
      others.repositoryRefusals = [unavailable(), unavailable()];
      const { id } = await start();
      await endsAs(id, 'finished');
      expect(others.labels.size).toBe(25);
    });

    it('the next page is found behind a long header, and one that is cut off ends the import', async () => {
      const linked = (length: number): ForgeFault => {
        const link = `<${forge.url}/api/v3/x?${'v'.repeat(length)}>; rel="first", <${forge.url}/api/v3/y>; rel="next"`;
        return (_, response) =>
          void response
            .writeHead(200, { 'Content-Type': 'application/json', Link: link })
            .end(JSON.stringify([label('one')]));
      };
      forge.breakNext(/labels\?page=1/, linked(4_000));
      forge.breakNext(/labels\?page=2/, linked(9_000));
      const { id } = await start();
      expect(await endsAs(id, 'failed')).toMatchObject({
        import_error: 'The forge sent a header Link that is too long',
      });
      expect(others.labelRequests).toHaveLength(1);
    });

    it('leaves out what no label or milestone can be', async () => {
      forge.contents.lists.labels = [label('ok 🐛'), label(5), { name: 'x' }, null as never, label('plain', 'zzz')];
      forge.contents.lists.milestones = [
        milestone(1, { created_at: '0000-00-00T00:00:00Z' }),
        milestone(-1),
        milestone(2, { due_on: '9'.repeat(40) }),
        milestone('7'),
      ];
      const { id } = await start();
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { label: 5, milestone: 4 }, imported: { label: 2, milestone: 1 } },
      });
      expect(others.milestones).toMatchObject([{ iid: 2, dueDate: '' }]);
    });

    it('goes on by the cursor of a list after a pause', async () => {
      forge.contents.lists.issues = Array.from({ length: 12 }, (_, index) => issue(index + 1));
      forge.breakNext(/after=page%3D2/, (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
      forge.breakNext(/issues\?.*\bpage=2/, (_, response) => response.writeHead(422).end('{}'));
      const { id } = await start();
      expect(await endsAs(id, 'finished')).toMatchObject({
        stats: { fetched: { issue: 12 }, imported: { issue: 12 } },
      });
    });

    it('people who were asked for stay known where the forge breaks off in the middle of a page', async () => {
      forge.contents.users.octocat = { login: 'octocat', email: null };
      forge.contents.lists.issues = [issue(1), issue(2, { user: { login: 'hubot' } })];
      forge.breakNext(/users.hubot/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
      await endsAs((await start()).id, 'finished');
      const asked = forge.requests.filter(({ url }) => url.includes('/users/')).map(({ url }) => url.split('/').at(-1));
      expect(asked).toEqual(['octocat', 'hubot', 'hubot']);
    });

    it('what a forge writes is stored as far as it can be: no NUL, no half of a pair, and no more than an issue has', async () => {
      const many = Array.from({ length: 150 }, (_, at) => ({ name: `l${at}` }));
      forge.contents.lists.issues = [
        issue(1, { title: 'a\0b\ud800', body: '\0\udc00', user: { login: 'o\0ctocat' }, labels: many }),
        issue(2, {
          user: { login: 'x'.repeat(101) },
          assignees: Array(150).fill({ login: 'octocat' }),
          pull_request: null,
        }),
        issue(3, { html_url: 'https://forge.example/pull/pull/issues/3' }),
        issue(4, { html_url: 'https://forge.example/octo/things/pull/4' }),
      ];
      const { id } = await start();
      expect(await endsAs(id, 'finished')).toMatchObject({ stats: { fetched: { issue: 3 } } });
      expect(others.issues).toMatchObject([
        { iid: 1, title: 'ab\ufffd', description: '\ufffd' },
        { iid: 2, authorId: ghost, description: 'See #12, @ada' },
        { iid: 3 },
      ]);
      expect(others.issues[0]?.labels).toHaveLength(100);
    });

    it('a page that is longer than was asked for ends it', async () => {
      forge.breakNext(/labels/, (_, response) =>
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(Array.from({ length: 11 }, (_item, at) => label(`l${at}`)))),
      );
      const { id } = await start();
      expect(await endsAs(id, 'failed')).toMatchObject({
        import_error: 'The forge sent more than the 10 items of a page',
      });
      expect(others.labelRequests).toEqual([]);
    });

    it('a name that leads inside is an invalid address, as one that is written out is (G-4.19-1)', async () => {
      forge.breakNext(/repositories/, (_, response) =>
        response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
      );
      await expect(start()).rejects.toMatchObject({ kind: 'invalid', body: { errors: `Invalid URL: ${forge.url}` } });
    });

    it('a redirect to the inside and an answer of a gigabyte end it', async () => {
      forge.breakNext(/labels/, (_, response) =>
        response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
      );
      const inside = await start();
      expect((await endsAs(inside.id, 'failed')).import_error).toMatch(/not allowed/);
      forge.breakNext(/labels/, (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const piece = Buffer.alloc(1 << 20, ' ');
        const send = (): void => {
          if (!response.destroyed) response.write(piece, send);
        };
        send();
      });
      const large = await start();
      expect((await endsAs(large.id, 'failed')).import_error).toBe('The answer of the forge is too long');
    });
  });
