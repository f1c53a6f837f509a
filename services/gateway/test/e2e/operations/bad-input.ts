import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '@switchyard/testkit';
import type { Route } from '../../../src/http/route';
import { routes as every } from '../../../src/routes';
import { type BadInputHarness, bodyOf, fault, slowestMs } from '../support/bad-input-harness';
import {
  accepts,
  isRequired,
  operationOf,
  requestOf,
  type Slot,
  shapeOf,
  slotsOf,
  writes,
} from '../support/bad-requests';
import { hostileBodies } from '../support/hostile-bodies';
import { hostileTexts, hostileValues, pairs, seeded, segment, wrongFor } from '../support/hostile-values';
import { inLanes } from '../support/in-lanes';
import { oddRefRequests } from '../support/odd-refs';
import type { RawReply } from '../support/raw-client';

/**
 * The routes that are tried. A stream that begins lasts until its reader leaves. What package managers send is a document of their
 * own, whose components are tested with hostile ones; here they meet hostile paths and parameters.
 */
const routes = every.filter(({ events }) => events === undefined);

/** Files have strong ETags, for their parts. */
const isFile = ({ docs, returns }: Route): boolean =>
  returns[200] === undefined && docs?.contentTypes?.includes('application/octet-stream') === true;

/** How much one run tries. */
interface Amount {
  /** Part of all parameters, 0 to 1; the seed says which. */
  readonly share: number;
  readonly seed: number;
}

/** Whatever comes in, what goes out is a declared reply or a refusal in GitLab's shape (G-7), quickly. */
export const badInputTests = (started: () => BadInputHarness, { share, seed }: Amount): void =>
  describe(`bad input, share ${share}, seed ${seed}`, () => {
    let harness: BadInputHarness;
    beforeAll(() => {
      harness = started();
    });

    it('walks every list by keyset as by offset: no row skipped, none twice', async () => {
      const walks = routes
        .filter(({ list, method }) => list !== undefined && list.keysetUpTo === undefined && method === 'get')
        .flatMap((route) =>
          (route.list?.orderBy?.length ? route.list.orderBy : [undefined]).flatMap((order) =>
            (route.list?.sort === undefined ? [undefined] : ['asc', 'desc']).map((sort) => ({ route, order, sort })),
          ),
        );
      const problems: string[] = [];
      await inLanes(walks, async ({ route, order, sort }) => {
        const required = Object.entries(harness.baseOf(route)).flatMap(([name, value]) => pairs(name, value));
        const own = ['GET /merge_requests', 'GET /issues'].includes(operationOf(route)) ? ['scope=all'] : [];
        const query = [...required, ...own, ...(order ? [`order_by=${order}`] : []), ...(sort ? [`sort=${sort}`] : [])];
        const at = harness.pathOf(route);
        const name = `${at}?${query.join('&')}`;
        const readWhole = async (): Promise<unknown[] | undefined> => {
          const whole = await harness.send({ method: 'GET', path: `${at}?${[...query, 'per_page=100'].join('&')}` });
          if (whole.status !== 200) return void problems.push(`${name}: ${whole.status} ${whole.text}`);
          const rows = bodyOf(whole) as unknown[];
          if (whole.headers['x-total'] !== undefined && Number(whole.headers['x-total']) !== rows.length)
            problems.push(`${name}: X-Total ${whole.headers['x-total']} for ${rows.length} rows`);
          return rows;
        };
        const walk = async (first: string, keyset: boolean): Promise<unknown[] | undefined> => {
          const rows: unknown[] = [];
          let url: string | undefined = first;
          for (let step = 0; url !== undefined && step < 60; step += 1) {
            const page: RawReply = await harness.send({ method: 'GET', path: url });
            if (page.status !== 200) return void problems.push(`${url}: ${page.status} ${page.text}`);
            rows.push(...bodyOf(page));
            if (keyset && (page.headers['x-total'] !== undefined || page.headers['x-page'] !== undefined))
              problems.push(`${url}: totals on a keyset page`);
            const link = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
            url = link?.slice(link.indexOf('/api/v4') + 7);
          }
          return rows;
        };
        const texts = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row));
        let whole = await readWhole();
        const compare = async (first: string, keyset: boolean): Promise<void> => {
          for (let left = 3; ; left -= 1) {
            const [before, rows] = [whole, await walk(first, keyset)];
            if (before === undefined || rows === undefined) return;
            if (isDeepStrictEqual(rows, before)) return;
            whole = await readWhole();
            if (whole === undefined || isDeepStrictEqual(rows, whole)) return;
            // A list that changes meanwhile, as deliveries that are tried again do, is walked once more.
            if (left > 1 && !isDeepStrictEqual(before, whole)) continue;
            const [found, expected] = [texts(rows), texts(whole)];
            const at = expected.findIndex((row, place) => row !== found[place]);
            return void problems.push(
              `${first}: ${rows.length} rows where the whole list has ${whole.length}; ${found[at]} for ${expected[at]}`,
            );
          }
        };
        // Five pages show what is wrong between two of them; a long run tries each place of a list.
        const size = share >= 1 ? 2 : Math.max(2, Math.ceil((whole?.length ?? 0) / 5));
        await compare(`${at}?${[...query, `per_page=${size}`].join('&')}`, false);
        await compare(`${at}?${[...query, `per_page=${size}`, 'pagination=keyset'].join('&')}`, true);
      });
      expect(problems).toEqual([]);
    });

    it('refuses cursors it did not give', async () => {
      const foreign = await harness.send({
        method: 'GET',
        path: '/users?pagination=keyset&order_by=username&per_page=1',
      });
      const cursors = [
        'x',
        '%00',
        'e30',
        Buffer.from('null').toString('base64url'),
        Buffer.from('[1]').toString('base64url'),
        Buffer.from('{"id":"1; drop table users"}').toString('base64url'),
        Buffer.from('{"id":{"a":1},"_kd":"n"}').toString('base64url'),
        Buffer.from('{"id":"99999999999999999999999999","_kd":"n"}').toString('base64url'),
        Buffer.from('{"id":"1","created_at":"yesterday","_kd":"n"}').toString('base64url'),
        Buffer.from('{"name":"a\\u0000","id":"1","_kd":"n"}').toString('base64url'),
        Buffer.from('{"__proto__":{"id":"1"},"_kd":"q"}').toString('base64url'),
        'a'.repeat(5_000),
        String(foreign.headers['x-next-cursor']),
      ];
      const problems: string[] = [];
      // The cursor of lists with a public `page_token` is a name, and every name has a place.
      const lists = routes.filter(
        ({ list, method, params }) => list !== undefined && method === 'get' && params?.page_token === undefined,
      );
      // Every cursor at a quarter of the lists, and every list with a quarter of them.
      const tried = (list: number): string[] =>
        share >= 1 ? cursors : cursors.filter((_, cursor) => (cursor + list) % 4 === 0);
      await inLanes(
        lists.map((route, index) => ({ route, index })),
        async ({ route, index }) => {
          const required = Object.entries(harness.baseOf(route)).flatMap(([name, value]) => pairs(name, value));
          for (const cursor of tried(index)) {
            const request = {
              method: 'GET',
              path: `${harness.pathOf(route)}?${[...required, 'scope=all'].join('&')}&pagination=keyset&cursor=${cursor}`.replace(
                route.path.includes('merge_requests') ? '' : 'scope=all',
                '',
              ),
            };
            const reply = await harness.send(request);
            const found =
              fault(request, reply) ??
              (reply.status === 400 ? undefined : `accepted: ${request.path.slice(0, 200)} ${reply.status}`);
            if (found !== undefined) problems.push(found);
          }
        },
      );
      expect(problems).toEqual([]);
    });

    it('answers HEAD and If-None-Match on every read', async () => {
      const problems: string[] = [];
      const reads = routes.filter(
        (route) => route.method === 'get' && route.path !== '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      );
      // Files first: their package shows when it was last downloaded.
      for (const some of [reads.filter(isFile), reads.filter((route) => !isFile(route))])
        await inLanes(some, async (route) => {
          const { path } = requestOf(route, harness.pathOf(route), harness.baseOf(route), 0);
          const full = await harness.send({ method: 'GET', path });
          if (full.status !== 200) return void problems.push(`GET ${path}: ${full.status} ${full.text}`);
          const head = await harness.send({ method: 'HEAD', path });
          if (head.status !== 200 || head.text !== '') problems.push(`HEAD ${path}: ${head.status}`);
          for (const name of ['content-type', 'etag', 'x-total', 'link'])
            if (String(head.headers[name] ?? '').replace(/runtime.*/, '') !== String(full.headers[name] ?? ''))
              problems.push(`HEAD ${path}: ${name} is ${head.headers[name]}, not ${full.headers[name]}`);
          const tag = full.headers.etag;
          if (typeof tag !== 'string') return void problems.push(`GET ${path}: no ETag`);
          if (!tag.startsWith('W/"') && !isFile(route)) problems.push(`GET ${path}: ETag ${tag} is not weak`);
          let asked = tag;
          let same = await harness.send({ method: 'GET', path, headers: { 'If-None-Match': asked } });
          // It changed in between, as a package does when its download is noted.
          for (let tries = 0; tries < 5 && same.status === 200 && same.headers.etag !== asked; tries += 1) {
            asked = same.headers.etag as string;
            same = await harness.send({ method: 'GET', path, headers: { 'If-None-Match': asked } });
          }
          if (same.status !== 304 || same.text !== '') problems.push(`304 of ${path}: ${same.status}`);
        });
      expect(problems).toEqual([]);
    });

    it('answers wrong verbs with 405 and the right ones', async () => {
      const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
      const paths = new Map<string, Route[]>();
      for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
      const problems: string[] = [];
      await inLanes([...paths], async ([path, there]) => {
        const method = verbs.find((verb) => there.every((route) => route.method.toUpperCase() !== verb)) as string;
        // A sibling with a parameter in this place may serve the verb: `POST /personal_access_tokens/:token_id/rotate`.
        if (
          routes.some(
            (route) =>
              route.method.toUpperCase() === method &&
              new RegExp(`^${route.path.replace(/:[a-z_0-9]+/g, '[^/]+').replace(/\*[a-z_0-9]+/g, '.+')}$`).test(path),
          )
        )
          return;
        const reply = await harness.send({ method, path: harness.pathOf(there[0] as Route) });
        const allowed = String(reply.headers.allow ?? '').split(', ');
        const declared = there.map((route) => route.method.toUpperCase());
        if (
          reply.status !== 405 ||
          reply.text !== '{"error":"405 Not Allowed"}' ||
          !declared.every((verb) => allowed.includes(verb))
        )
          problems.push(`${method} ${path}: ${reply.status} ${reply.text} Allow: ${reply.headers.allow}`);
      });
      expect(problems).toEqual([]);
    });

    it('names every parameter of a wrong type, and every missing one, in one 400', async () => {
      const problems: string[] = [];
      await inLanes(
        routes.filter((route) => Object.keys(shapeOf(route)).length > 0),
        async (route) => {
          const shape = shapeOf(route);
          const given = await harness.victim(route);
          const token = await harness.tokenFor(route);
          const wrong = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, wrongFor(schema)]));
          const numbers = Object.entries(route.path_params ?? {})
            .filter(([, schema]) => !accepts(schema, 'nope'))
            .map(([name]) => name);
          const path = harness.pathOf(route, {
            ...given,
            ...Object.fromEntries(numbers.map((name) => [name, 'nope'])),
          });
          for (const form of writes(route) ? [0, 0.7, 0.9] : [0]) {
            const request = requestOf(route, path, wrong, form);
            const reply = await harness.send(request, token);
            const found = fault(request, reply);
            if (found !== undefined) problems.push(found);
            const reported = reply.status === 400 ? String(bodyOf(reply).error).split(', ') : [];
            const unnamed = [...Object.keys(wrong), ...numbers].filter(
              (name) => !reported.some((text) => text.startsWith(`${name} `) || text.startsWith(`${name}[`)),
            );
            if (unnamed.length > 0)
              problems.push(
                `${operationOf(route)} (${form}) does not name ${unnamed.join(' ')}: ${reply.status} ${reply.text}`,
              );
          }
          const required = Object.entries(shape)
            .filter(([, schema]) => isRequired(schema))
            .map(([name]) => name);
          if (required.length === 0) return;
          const reply = await harness.send(requestOf(route, harness.pathOf(route, given), {}, 0), token);
          const reported = reply.status === 400 ? String(bodyOf(reply).error).split(', ') : [];
          const unnamed = required.filter((name) => !reported.includes(`${name} is missing`));
          if (unnamed.length > 0)
            problems.push(`${operationOf(route)} misses no ${unnamed}: ${reply.status} ${reply.text}`);
        },
      );
      expect(problems).toEqual([]);
    });

    it('survives hostile values in every parameter of every route', async () => {
      const problems: string[] = [];
      let sent = 0;
      const threads = routes.find(
        (route) => operationOf(route) === 'POST /projects/:id/merge_requests/:merge_request_iid/discussions',
      ) as Route;
      const range: Slot = { name: 'position', inner: 'line_range', isOpen: true };
      const good = await harness.send(
        requestOf(threads, harness.pathOf(threads), harness.withValue(threads, range, { a: 1 }), 0),
      );
      // A place that is refused for its own sake would hide what is put into it.
      expect([good.status, good.text]).toEqual([201, expect.any(String)]);
      const tries = routes.flatMap((route, index) => {
        const random = seeded(seed + index);
        const pick = ({ isOpen }: Slot): unknown => {
          const all = random() < 0.7 ? hostileTexts : hostileValues;
          const one = all[Math.floor(random() * all.length)];
          return isOpen && typeof one === 'string' ? (random() < 0.5 ? { a: [one] } : { [one]: 1 }) : one;
        };
        return slotsOf(route).flatMap((slot) =>
          random() < share ? [{ route, slot, value: pick(slot), form: random() }] : [],
        );
      });
      await inLanes(tries, async ({ route, slot, value, form }) => {
        const given = await harness.victim(route);
        const request = requestOf(route, harness.pathOf(route, given), harness.withValue(route, slot, value), form);
        const reply = await harness.send(request, await harness.tokenFor(route));
        sent += 1;
        const found = fault(request, reply);
        if (found !== undefined) problems.push(`${operationOf(route)} ${slot.name} ${slot.inner ?? ''}: ${found}`);
      });
      expect(problems).toEqual([]);
      expect(sent).toBeGreaterThan(400 * share);
    });

    it('survives hostile path segments in every route', async () => {
      const problems: string[] = [];
      const raw = [
        '%',
        '%zz',
        '%C0%AF',
        '%ED%A0%80',
        '%00',
        '%2e%2e',
        '%2F',
        '%2f..%2f',
        '%F0%9F%98%80',
        '*',
        ';',
        '+',
        '\\',
        ':id',
      ];
      const tries = routes.flatMap((route, index) => {
        // A stream that is taken lasts until its reader leaves: test/http/event-streams.test.ts has its bad input.
        if (route.events !== undefined) return [];
        const random = seeded(seed + 1_000 + index);
        const names = [...route.path.matchAll(/[:*]([a-z0-9_]+)/g)].map((match) => match[1] as string);
        return names.flatMap((name) => [
          ...raw.filter(() => random() < share / 2).map((value) => ({ route, name, value })),
          ...hostileTexts
            .filter((text) => text.length < 5_000 && text !== '' && random() < share / 8)
            .map((text) => ({ route, name, value: segment(text) })),
        ]);
      });
      await inLanes(tries, async ({ route, name, value }) => {
        const request = requestOf(
          route,
          harness.pathOf(route, { ...(await harness.victim(route)), [name]: value }),
          harness.baseOf(route),
          0,
        );
        const reply = await harness.send(request, await harness.tokenFor(route));
        const found = fault(request, reply);
        if (found !== undefined) problems.push(`${operationOf(route)} ${name}: ${found}`);
      });
      expect(problems).toEqual([]);
    });

    it('takes odd refs and paths literally or refuses them, in every repository route', async () => {
      const at = `/projects/${harness.fixture.project}`;
      const random = seeded(seed + 2_000);
      const refs = hostileTexts.filter((text) => text.length <= 4_096 && random() < share / 2);
      const problems: string[] = [];
      const { body: before } = await harness.system.api('GET', `${at}/repository/branches?per_page=100`);
      await inLanes(refs, async (ref) => {
        for (const request of oddRefRequests(at, ref, harness.next)) {
          const reply = await harness.send(request);
          const found = fault(request, reply);
          if (found !== undefined) problems.push(found);
        }
      });
      expect(problems).toEqual([]);
      const { body: after } = await harness.system.api('GET', `${at}/repository/branches?per_page=100`);
      expect(after.length).toBeGreaterThanOrEqual(before.length);
    });

    it('tells a tag from a branch of the same name', async () => {
      const at = `/projects/${harness.fixture.other}`;
      const { body: main } = await harness.system.api('GET', `${at}/repository/commits/main`);
      const { body: later } = await harness.system.api('POST', `${at}/repository/commits`, {
        body: {
          branch: 'twin',
          start_branch: 'main',
          commit_message: 'x',
          actions: [{ action: 'create', file_path: 'x', content: 'x' }],
        },
      });
      await harness.post(`${at}/repository/tags`, { tag_name: 'twin', ref: 'main' });
      expect((await harness.system.api('GET', `${at}/repository/branches/twin`)).body.commit.id).toBe(later.id);
      expect((await harness.system.api('GET', `${at}/repository/tags/twin`)).body.commit.id).toBe(main.id);
      const request = await harness.post(`${at}/merge_requests`, {
        source_branch: 'twin',
        target_branch: 'main',
        title: 'twin',
      });
      expect(request.sha).toBe(later.id);
      expect((await harness.system.api('DELETE', `${at}/repository/tags/twin`)).status).toBe(204);
      expect((await harness.system.api('GET', `${at}/repository/branches/twin`)).status).toBe(200);
    });

    it('lets one of twenty identical creates through', async () => {
      const at = `/projects/${harness.fixture.project}`;
      await harness.post(`${at}/repository/commits`, {
        branch: 'twins',
        start_branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: `twins-${harness.next()}`, content: 'x' }],
      });
      const creates: [string, unknown, number[]][] = [
        ['/users', { name: 'Twin', username: 'twin', email: 'twin@example.com', force_random_password: true }, [409]],
        ['/groups', { name: 'Twin', path: 'twin-group' }, [400]],
        [
          '/projects',
          { name: 'Twin', path: 'twin', namespace_id: harness.fixture.group, initialize_with_readme: true },
          [400],
        ],
        [`${at}/labels`, { name: 'twin', color: '#123456' }, [409]],
        [`/groups/${harness.fixture.group}/labels`, { name: 'twin', color: '#123456' }, [409]],
        [`${at}/milestones`, { title: 'twin' }, [400]],
        [`${at}/repository/branches`, { branch: 'twin', ref: 'main' }, [400]],
        [`${at}/repository/tags`, { tag_name: 'twin', ref: 'main' }, [400]],
        [`${at}/protected_branches`, { name: 'twin' }, [409]],
        [`${at}/protected_tags`, { name: 'twin' }, [422]],
        [`${at}/merge_requests`, { source_branch: 'twins', target_branch: 'main', title: 'twin' }, [409]],
        [`/projects/${harness.fixture.other}/members`, { user_id: harness.fixture.ada, access_level: 30 }, [409]],
        [`${at}/repository/files/twin.txt`, { branch: 'twins', content: 'x', commit_message: 'x' }, [400]],
      ];
      for (const [path, body, refusals] of creates) {
        const replies = await Promise.all(Array.from({ length: 20 }, () => harness.json('POST', path, body)));
        const statuses = replies.map(({ status }) => status).sort();
        const refused = statuses.filter((status) => refusals.includes(status));
        expect({
          path,
          created: statuses.filter((status) => status === 201).length,
          refused: refused.length,
          statuses: [...new Set(statuses)],
          text: replies.find(({ status }) => status !== 201)?.text,
        }).toEqual({ path, created: 1, refused: 19, statuses: [201, ...refusals].sort(), text: expect.any(String) });
      }
      const different = await Promise.all(
        Array.from({ length: 20 }, (_, index) => harness.json('POST', `${at}/milestones`, { title: `dense ${index}` })),
      );
      const iids = different.map((reply) => bodyOf(reply).iid as number).sort((a, b) => a - b);
      expect(iids).toEqual(iids.map((_, index) => (iids[0] as number) + index));
    });

    it('lists a hundred merge requests with the longest descriptions', async () => {
      const at = `/projects/${harness.fixture.other}`;
      const text = 'd'.repeat(1_048_576);
      const branches = Array.from({ length: 10 }, (_, index) => index);
      for (const index of branches) {
        await harness.post(`${at}/repository/branches`, { branch: `target-${index}`, ref: 'main' });
        await harness.post(`${at}/repository/commits`, {
          branch: `source-${index}`,
          start_branch: 'main',
          commit_message: 'x',
          actions: [{ action: 'create', file_path: `s${index}`, content: 'x' }],
        });
      }
      await inLanes(
        branches,
        async (index) => {
          await harness
            .json('POST', `${at}/merge_requests`, {
              source_branch: `source-${index}`,
              target_branch: `target-${index}`,
              title: `${index} into ${index}`,
              ...(index === 0 ? { description: text } : {}),
            })
            .then((reply) => expect(reply.status).toBe(201));
        },
        4,
      );
      // The list is what is tried here: ninety more requests, of a megabyte each, would only take their time.
      await harness.system.query(
        'merge_requests',
        `insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, source_sha, target_sha)
        select 1000 + row_number() over (), one.project_id, one.source_project_id, one.source_branch, other.target_branch, one.author_id,
          one.source_branch || ' into ' || other.target_branch, one.source_sha, other.target_sha
        from merge_requests one, merge_requests other
        where one.project_id = ${harness.fixture.other} and other.project_id = ${harness.fixture.other} and one.id <> other.id
          and one.target_branch like 'target-%' and other.target_branch like 'target-%'`,
      );
      await harness.system.query(
        'merge_requests',
        `update merge_requests set description = repeat('d', 1048576) where target_branch like 'target-%' and description is null`,
      );
      // 100 MiB take 3 s of the 10 s that a call has: on a busy machine it may be refused, and is made again.
      const reply = await eventually(
        async () => {
          const listed = await harness.send({ method: 'GET', path: `${at}/merge_requests?per_page=100` });
          expect(listed.status).toBe(200);
          return listed;
        },
        { within: 60_000, every: 1_000 },
      );
      const rows = bodyOf(reply) as { iid: number; description: string; title: string }[];
      expect(rows.filter(({ description }) => description === text)).toHaveLength(100);
      expect(new Set(rows.map(({ iid }) => iid)).size).toBe(rows.length);
      const body = { source_branch: 'source-0', target_branch: 'main', title: 'x', description: `${text}d` };
      const refused = await harness.json('POST', `${at}/merge_requests`, body);
      expect([refused.status, refused.text]).toEqual([
        400,
        '{"message":{"description":["is too long (maximum is 1048576 characters)"]}}',
      ]);
      const updated = await harness.json('PUT', `${at}/merge_requests/1`, { description: `${text}d` });
      expect([updated.status, updated.text]).toEqual([400, refused.text]);
    });

    it('refuses hostile bodies at once', async () => {
      const problems: string[] = [];
      for (const [name, request, status] of hostileBodies(`/projects/${harness.fixture.project}/labels`)) {
        const reply = await harness.send(request);
        const found = fault(request, reply);
        if (found !== undefined) problems.push(`${name}: ${found}`);
        if (reply.status !== status || reply.took > slowestMs) problems.push(`${name}: ${reply.status} ${reply.text}`);
      }
      expect(problems).toEqual([]);
    });

    it('serves others while slow clients trickle', async () => {
      const { hostname, port } = new URL(harness.system.url);
      const sockets = Array.from({ length: 50 }, () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.write(
          `POST /api/v4/projects/${harness.fixture.project}/labels HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${harness.system.rootToken}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
        );
        return socket;
      });
      const reply = await harness.send({ method: 'GET', path: `/projects/${harness.fixture.project}` });
      expect(reply.status).toBe(200);
      expect(reply.took).toBeLessThan(slowestMs);
      for (const socket of sockets) socket.destroy();
    });

    it('leaves whole repositories and nothing half-made', async () => {
      expect((await harness.send({ method: 'GET', path: `/projects/${harness.fixture.project}` })).status).toBe(200);
      const { status, text } = await harness.send({ method: 'GET', path: '/projects?per_page=100&simple=true' });
      expect(status).toBe(200);
      const failed: string[] = [];
      await inLanes(bodyOf({ text } as RawReply) as { id: number }[], async ({ id }) => {
        const reply = await harness.send({ method: 'GET', path: `/projects/${id}/repository/branches` });
        if (reply.status !== 200) failed.push(`${id}: ${reply.status} ${reply.text}`);
      });
      expect(failed).toEqual([]);
    });
  });
