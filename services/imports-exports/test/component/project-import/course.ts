import { sql } from '@switchyard/database/sql';
import {
  AppError,
  forbidden,
  invalid,
  notFound,
  tooManyRequests,
  unavailable,
  unprocessable,
} from '@switchyard/errors';
import { eventually } from '@switchyard/testkit';
import { json } from '@switchyard/testkit/installation';
import { listImports } from '../../../src/project-imports';
import {
  at,
  byId,
  cancel,
  endsAs,
  forge,
  get,
  here,
  hurry,
  imports,
  label,
  milestone,
  others,
  row,
  start,
  stranger,
  tokens,
  user,
} from './harness';

export const courseTests = (): void =>
  describe('the course of an import', () => {
    it('brings over repository, labels and milestones, page by page, and erases the token (G-2-38, G-4.19-1, G-4.19-6)', async () => {
      const begun = await start();
      expect(begun).toMatchObject({
        ...{ name: 'things', full_path: '/acme/things', import_source: 'octo/things', import_status: 'scheduled' },
        ...{ refs_url: '/acme/things/refs', relation_type: null, provider_link: '/octo/things' },
      });
      expect(await endsAs(begun.id, 'finished')).toMatchObject({
        ...{ path_with_namespace: 'acme/things', import_type: 'github', import_error: null, failed_relations: [] },
        stats: { fetched: { label: 25, milestone: 2, issue: 0 }, imported: { label: 25, milestone: 2, note: 0 } },
        progress: {
          stages: expect.arrayContaining([
            { name: 'repository', status: 'finished', fetched: 0, imported: 0, pages: null },
            { name: 'labels', status: 'finished', fetched: 25, imported: 25, pages: 3 },
          ]),
          stage_seconds_left: null,
        },
      });
      expect(others.statuses).toEqual(['started', 'finished']);
      expect(others.repositories).toEqual([
        {
          ...{
            projectId: begun.id,
            actorId: user.id,
            url: `${forge.url}/octo/things.git`,
            headsPattern: 'refs/pull/*/head',
          },
          authorization: `Basic ${Buffer.from(`x-access-token:${forge.token}`).toString('base64')}`,
        },
      ]);
      expect(others.labelRequests.map(({ labels }) => labels.length)).toEqual([10, 10, 5]);
      expect(others.milestones).toMatchObject([
        { iid: 3, closed: true, dueDate: '2020-02-03', createdAt: new Date(at) },
        { iid: 4, closed: false, dueDate: '' },
      ]);
      expect(await tokens()).toEqual([]);
    });

    it.each([
      [
        'a token that the forge refuses',
        { personalAccessToken: 'other' },
        'unauthorized',
        { error: 'Wrong credentials' },
      ],
      [
        'a repository that is not there',
        { repoId: 2 },
        'unprocessable',
        { errors: 'Import failed due to an error of the forge: The forge answered 404' },
      ],
      ['an address inside', { hostname: 'http://10.0.0.1' }, 'invalid', { errors: 'Invalid URL: http://10.0.0.1' }],
      [
        'credentials',
        { hostname: 'https://u:p@forge.example' },
        'invalid',
        { errors: 'Invalid URL: https://u:p@forge.example' },
      ],
      ['no address', { hostname: 'http://[' }, 'invalid', { errors: 'Invalid URL: http://[' }],
      ['a name with two dots', { newName: 'a..b' }, 'invalid_params', { error: 'new_name is invalid' }],
      ['a name that ends with a dash', { newName: 'a-' }, 'invalid_params', { error: 'new_name is invalid' }],
    ])('refuses %s (G-4.19-1, G-4.19-7, G-4.19-8)', async (_, given, kind, body) => {
      await expect(start(given)).rejects.toMatchObject({ kind, body });
    });

    it.each([
      [notFound('Namespace'), 'Namespace or group to import repository into does not exist.'],
      [forbidden(), 'You are not allowed to import projects in this namespace.'],
      [
        invalid({ name: ['has already been taken'], path: ['has already been taken'] }),
        'Name has already been taken, Path has already been taken',
      ],
    ])('says what groups-admin refuses, and keeps nothing (%#)', async (refusal, errors) => {
      others.refusal = refusal;
      await expect(start()).rejects.toMatchObject({ kind: 'unprocessable', body: { errors } });
      expect(await tokens()).toEqual([]);
    });

    it('an import whose project may have been made goes on', async () => {
      others.refusal = unavailable();
      await expect(start()).rejects.toMatchObject({ kind: 'unavailable' });
      others.refusal = undefined;
      await eventually(async () => {
        await hurry();
        expect(others.statuses.at(-1)).toBe('finished');
      });
    });

    it('waits as long as the forge asks, and asks again for the page at which it stopped', async () => {
      const reset = Math.ceil(Date.now() / 1_000) + 600;
      forge.breakNext(/labels\?page=2/, (_, response) =>
        response
          .writeHead(403, {
            'Content-Type': 'application/json',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': String(reset),
          })
          .end('{"message":"API rate limit exceeded"}'),
      );
      forge.breakNext(/milestones/, (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
      const { id } = await start();
      const pauses = async (least: number, most: number) =>
        eventually(async () => {
          const [row] = await here.db.query<{ left: number }>(
            sql`select extract(epoch from leased_until - now())::float8 as left from project_imports where project_id = ${id} and lease is null`,
          );
          expect(row?.left).toBeGreaterThan(least);
          expect(row?.left).toBeLessThanOrEqual(most);
        });
      await pauses(550, 601);
      expect((await get(id)).import_status).toBe('started');
      await hurry();
      // The worker of another process, or this one at its next look.
      await pauses(250, 301);
      await endsAs(id, 'finished');
      const pages = forge.requests
        .filter(({ url }) => url.includes('/labels'))
        .map(({ url }) => /page=(\d)/.exec(url)?.[1]);
      expect(pages).toEqual(['1', '2', '2', '3']);
      expect(others.repositories).toHaveLength(1);
      // At each carry-out: the process of the one before may have died between its own row and groups-admin.
      expect(others.statuses).toEqual(['started', 'started', 'started', 'finished']);
    });

    it('no pause is longer than an hour, and none counts as a failure', async () => {
      others.repositoryRefusals = [unavailable(new Error('away'), 10 ** 9), tooManyRequests(10 ** 9)];
      const { id } = await start();
      for (let pauses = 1; pauses <= 2; pauses += 1) {
        await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, attempts: 0, pauses }));
        const { left = 0 } = (await row(id)) ?? {};
        expect(left).toBeGreaterThan(3_500);
        expect(left).toBeLessThanOrEqual(3_600);
        await hurry();
      }
      others.repositoryRefusals = [new AppError('internal', { message: 'broken' })];
      await endsAs(id, 'finished');
    });

    it('an import whose tries all died is not worked on again', async () => {
      forge.breakNext(/labels/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
      const { id } = await start();
      await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
      await here.db.query(sql`update project_imports set attempts = 20 where project_id = ${id}`);
      expect(await endsAs(id, 'failed')).toMatchObject({ import_error: 'The import failed' });
      expect(others.labelRequests).toEqual([]);
    });

    it('names what could not be brought over, the first hundred of it (failed_relations)', async () => {
      forge.contents.lists.labels = [label('good'), label('refused'), label(7), label('fine')];
      forge.contents.lists.milestones = Array.from({ length: 120 }, (_, index) => milestone(index + 1, { title: 7 }));
      const { id } = await start();
      const { failed_relations: failed, progress } = (await endsAs(id, 'finished')) as {
        failed_relations: Record<string, unknown>[];
        progress: { stages: unknown[] };
      };
      expect(progress.stages[1]).toMatchObject({ name: 'labels', fetched: 4, imported: 2 });
      const shownTo = async (by: { id: number; admin?: boolean } | undefined, level: number) =>
        json(await imports.getProjectImport({ projectId: id }, here.as(by, { id, level })));
      for (const [by, level] of [[undefined, 0] as const, [user, 30] as const]) {
        const shown = await shownTo(by, level);
        expect(shown).toMatchObject({ id, import_status: 'finished', failed_relations: [], correlation_id: null });
        expect(Object.keys(shown as object)).not.toEqual(expect.arrayContaining(['progress']));
        expect(Object.keys(shown as object)).not.toEqual(expect.arrayContaining(['stats']));
      }
      expect(await shownTo({ ...user, admin: true }, 0)).toMatchObject({ failed_relations: failed, progress });
      const relation = { id: expect.any(Number), created_at: expect.any(String), exception_class: 'NotImported' };
      const unread = {
        ...relation,
        line_number: 0,
        exception_message: 'The forge sent it in a form that cannot be read',
      };
      expect(failed.slice(0, 3)).toEqual([
        { ...unread, source: '1', relation_name: 'labels' },
        { ...unread, exception_message: 'The project does not take it', source: 'refused', relation_name: 'labels' },
        { ...unread, source: '#1', relation_name: 'milestones' },
      ]);
      expect(failed).toHaveLength(100);
      expect(failed.at(-1)).toMatchObject({ source: '#98' });
    });

    it('says how far it is and how long the stage takes, to the operator as well (imports)', async () => {
      forge.breakNext(/labels.*[?&]page=2/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
      const { id } = await start();
      await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
      const labels = { name: 'labels', status: 'started', fetched: 10, imported: 10, pages: 3 };
      const { progress } = await get(id);
      expect(progress).toEqual({
        attachments: null,
        stages: expect.arrayContaining([
          labels,
          { name: 'issues', status: 'scheduled', fetched: 0, imported: 0, pages: null },
        ]),
        stage_seconds_left: expect.any(Number),
      });
      const lines: string[] = [];
      const given = { db: here.db, bus: () => here.bus, write: (line: string) => void lines.push(line) };
      expect(await listImports.run(given, [], {})).toBe(0);
      const first = lines.findIndex((line) => line.startsWith(`octo/things of github into project ${id}: started`));
      expect(lines.slice(first)).toEqual([
        expect.stringMatching(/, the stage ends in about \d+ s$/),
        '  repository: finished, 0 fetched, 0 imported',
        '  labels: started, 10 fetched, 10 imported, page 2 of 3',
        '  milestones: scheduled, 0 fetched, 0 imported',
        ...Array(7).fill(expect.stringMatching(/: scheduled, 0 fetched, 0 imported$/)),
        expect.stringMatching(/^\d+ imports run$/),
      ]);
      await cancel(id);
      expect(await get(id)).toMatchObject({ progress: { stage_seconds_left: null } });
    });

    it('keeps the numbers of the forge before anything else can take them, at the latest before the repository', async () => {
      forge.contents.lists.issues = [{ number: 12 }];
      const kept = (repositories: number) => [
        ['issues', 12, repositories],
        ['pulls', 12, repositories],
      ];
      let goOn = (): void => undefined;
      others.repositoryWait = new Promise((settle) => {
        goOn = settle;
      });
      const [first, second] = [await start(), await start({ newName: 'second' })];
      // The second one waits, and its numbers are kept all the same.
      expect(others.reserved.slice(0, 2)).toEqual(kept(0));
      expect(others.reserved.filter(([list]) => list === 'issues').length).toBeGreaterThan(1);
      goOn();
      for (const { id } of [first, second]) await endsAs(id, 'finished');
      others.reserved = [];
      // More than a client tries by itself: the first stage does it.
      others.reserveRefusals = Array.from({ length: 20 }, () => unavailable('away'));
      const third = await start({ newName: 'third' });
      expect(third.import_status).toBe('scheduled');
      others.reserveRefusals = [];
      await endsAs(third.id, 'finished');
      expect(others.reserved).toEqual(kept(2));
      expect(others.repositories.map(({ projectId }) => projectId)).toEqual([first.id, second.id, third.id]);
    });

    it('imports of one author are worked on one after the other, those of others beside them', async () => {
      let goOn = (): void => undefined;
      others.repositoryWait = new Promise((settle) => {
        goOn = settle;
      });
      const [first, second] = [await start(), await start({ newName: 'second' })];
      const other = await start({ newName: 'other' }, stranger);
      await eventually(async () => expect(others.repositories).toHaveLength(2));
      expect(others.repositories.map(({ projectId }) => projectId)).toEqual([first.id, other.id]);
      goOn();
      await endsAs(second.id, 'finished');
    });

    it('a stage is as old as it is between its pages, too', async () => {
      forge.breakNext(/labels\?page=2/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
      const { id } = await start({ timeoutStrategy: 'optimistic' });
      await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
      // Late from its next page on.
      forge.breakNext(/labels\?page=2/, (_, response) => {
        const answer = (): void =>
          void response
            .writeHead(200, { 'Content-Type': 'application/json', Link: '<http://forge.example/>; rel="next"' })
            .end(JSON.stringify([label('late')]));
        here.db
          .query(sql`update import_stages s set started_at = now() - interval '25 hours' from project_imports i
          where s.import_id = i.id and i.project_id = ${id} and s.name = 'labels'`)
          .then(answer, answer);
      });
      await endsAs(id, 'finished');
      expect(forge.requests.filter(({ url }) => url.includes('labels?page=3'))).toEqual([]);
      expect(others.labels.has('late')).toBe(true);
    });

    it('fails with a reason where another try would not help, and erases the token (G-3-4)', async () => {
      forge.breakNext(/labels/, (_, response) =>
        response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"message":"Bad credentials"}'),
      );
      const refused = await start();
      expect(await endsAs(refused.id, 'failed')).toMatchObject({ import_error: 'The forge does not accept the token' });
      others.repositoryRefusals = [unprocessable('The forge did not send a repository that git accepts')];
      const broken = await start();
      expect(await endsAs(broken.id, 'failed')).toMatchObject({
        import_error: 'The forge did not send a repository that git accepts',
      });
      expect(await tokens()).toEqual([]);
    });

    it('ends where who imports has lost the role Maintainer midway, or was blocked (G-4.19-9)', async () => {
      const [demoted, blocked] = [here.directory.user(), here.directory.user()];
      const [membership] = [demoted, blocked].map(({ id }) =>
        here.directory.member(id, { namespaceId: others.namespaceId }, 40),
      );
      if (membership === undefined) throw new Error('no membership');
      const change = [
        () => here.directory.write({ $case: 'membership', value: { ...membership, accessLevel: 30 } }),
        () => here.directory.write({ $case: 'user', value: { ...blocked, state: 'blocked' } }),
      ];
      for (const [at, by] of [demoted, blocked].entries()) {
        forge.breakNext(/labels/, (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end());
        const { id } = await start({ newName: `lost-${at}` }, by);
        await eventually(async () => expect(await row(id)).toMatchObject({ lease: null, pauses: 1 }));
        change[at]?.();
        Object.assign(byId(id), { directorySequence: here.directory.changes.length });
        expect(await endsAs(id, 'failed')).toMatchObject({
          import_error: 'Who imports may not import into this project any more',
        });
      }
      expect(others.labelRequests).toEqual([]);
      expect(await tokens()).toEqual([]);
    });

    it('is cancelled while it runs, once (G-4.19-2)', async () => {
      let goOn = (): void => undefined;
      others.repositoryWait = new Promise((settle) => {
        goOn = settle;
      });
      const { id } = await start();
      await eventually(async () => expect(others.repositories).toHaveLength(1));
      expect(await cancel(id)).toMatchObject({ id, import_status: 'canceled', human_import_status_name: 'canceled' });
      goOn();
      await expect(cancel(id)).rejects.toMatchObject({
        kind: 'bad_request',
        body: { message: 'The import cannot be canceled because it is canceled' },
      });
      expect(await endsAs(id, 'canceled')).toMatchObject({ import_error: null });
      expect(others.labelRequests).toEqual([]);
      expect(await tokens()).toEqual([]);
      await expect(cancel(1)).rejects.toMatchObject({ kind: 'not_found', body: { message: '404 Not found' } });
    });

    it('a stage that takes more than a day is left out, or ends the import (timeout_strategy)', async () => {
      for (const [timeoutStrategy, status] of [
        ['optimistic', 'finished'],
        ['pessimistic', 'failed'],
      ] as const) {
        forge.breakNext(/labels/, (_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
        const { id } = await start({ timeoutStrategy });
        await eventually(async () => {
          const changed = await here.db.query(sql`
          update import_stages s set started_at = now() - interval '25 hours' from project_imports i
          where s.import_id = i.id and i.project_id = ${id} and s.name = 'labels' and i.lease is null and s.started_at is not null
          returning 1`);
          expect(changed).toHaveLength(1);
        });
        const rest = {
          relation_name: 'labels',
          source: 'the rest',
          exception_message: 'The stage took more than 24 hours',
        };
        const left = timeoutStrategy === 'optimistic' ? [rest] : [];
        expect(await endsAs(id, status)).toMatchObject({ failed_relations: left });
      }
      expect(others.labels.size).toBe(0);
    });
  });
