import { Agent, request } from 'node:http';
import { conflict, invalid, notFound } from '@switchyard/errors';
import { ResolveResponse_TokenRefusal } from '@switchyard/protos/groups_admin/v1/access';
import { Access_ClosedFeatures } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

const rows = Array.from({ length: 3 }, (_, index) => ({ id: index + 1 }));

describe('a request through the gateway', () => {
  let gateway: TestGateway;
  let answer = resolved();
  let total: number | undefined = 3;
  let failure: Error | undefined;
  let asked = 0;

  beforeAll(async () => {
    gateway = await startTestGateway({
      routes: kernelRoutes(async (context) => {
        if (failure !== undefined) throw failure;
        return context.page.perPage > 0 && context.list
          ? page(rows, {
              keyset: context.page.keyset,
              page: context.page.page,
              perPage: context.page.perPage,
              total,
              hasNext: true,
              nextCursor: 'abc',
            })
          : entity(context.params);
      }),
      access: () => {
        asked += 1;
        return answer;
      },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    answer = resolved({ access: projectAccess() });
    total = 3;
    failure = undefined;
  });

  const token = () => ({ token: `glpat-${Math.random()}` });

  it('merges query and body, coerces types and drops what it does not know (G-1-2 … G-1-5)', async () => {
    const reply = await gateway.send('POST', '/projects/group%2Fproject/things?flag=yes&ids[]=1&ids[]=2', {
      ...token(),
      body: { name: 'x', count: '5', labels: 'a, b', unknown: 1 },
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ flag: true, ids: [1, 2], name: 'x', count: 5, labels: ['a', 'b'] });
  });

  it('reports every problem at once under `error` (G-7-1, G-7-2)', async () => {
    const reply = await gateway.send('POST', '/projects/1/things', {
      ...token(),
      body: { flag: 'maybe', count: 'x', kind: 'zzz', not: { author_id: 'q' } },
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      error:
        'name is missing, flag is invalid, count is invalid, kind does not have a valid value, not[author_id] is invalid',
    });
  });

  it('says a refusal with a text of its own where it is the only one, and names it beside others', async () => {
    const refusal = async (body: object) =>
      (await gateway.send('POST', '/projects/1/things', { ...token(), body: { name: 'n', ...body } })).body;
    expect(await refusal({ shade: 'grey' })).toEqual({ message: "'grey' is not a shade" });
    expect(await refusal({ shade: 'grey', count: 'x' })).toEqual({
      error: 'count is invalid, shade does not have a valid value',
    });
    for (const shade of [{ a: 'b' }, 'a\0b', 'x'.repeat(256)])
      expect(await refusal({ shade })).toEqual({ error: 'shade does not have a valid value' });
  });

  it('refuses a filter that has no effect yet, and a setting at any value but the one that holds', async () => {
    const list = (query: string) => gateway.send('GET', `/projects/1/things?${query}`, token());
    expect(await list('topic_id=5&not[topic_id]=6&page=x')).toMatchObject({
      status: 400,
      body: { error: 'topic_id is not supported, not[topic_id] is not supported, page is invalid' },
    });
    expect((await list('topic_id=y')).body).toEqual({ error: 'topic_id is invalid' });
    const create = (body: object) =>
      gateway.send('POST', '/projects/1/things', { ...token(), body: { name: 'n', ...body } });
    for (const body of [
      { locked: 'no', ranges: '' },
      { locked: false, ranges: null, levels: [{ level: '40' }] },
    ])
      expect((await create(body)).status).toBe(201);
    expect((await create({ locked: 'yes', ranges: '10.0.0.0/8', levels: [{ level: 30 }] })).body).toEqual({
      error:
        'locked is not supported except as false, ranges is not supported except as null, levels is not supported except as [{"level":40}]',
    });
    expect((await create({ locked: 'maybe', levels: [{ level: 'x' }] })).body).toEqual({
      error: 'locked is invalid, levels is invalid',
    });
  });

  it('ignores what is for administrators from others, before it refuses it (G-4.15-11)', async () => {
    const list = () => gateway.send('GET', '/projects/1/things?storage=a&since=never', token());
    expect((await list()).status).toBe(200);
    answer = resolved({ access: projectAccess(), actor: actor({ admin: true }) });
    expect((await list()).body).toEqual({ error: 'storage is not supported, since is invalid' });
  });

  it.each([
    ['malformed JSON', '{"a":', 'application/json'],
    ['a JSON array', '[1]', 'application/json'],
    ['33 levels', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'application/json'],
    ['a prototype key', '{"__proto__":{"x":1}}', 'application/json'],
    ['a prototype bracket', 'name=x&__proto__[x]=1', 'application/x-www-form-urlencoded'],
    ['an encoded prototype bracket', 'name=x&a[%5F%5Fproto%5f%5f]=1', 'application/x-www-form-urlencoded'],
    [
      '10,000 bracket keys',
      Array.from({ length: 10_000 }, (_, i) => `a[${i}]=1`).join('&'),
      'application/x-www-form-urlencoded',
    ],
    ['deep brackets', `a${'[b]'.repeat(40)}=1`, 'application/x-www-form-urlencoded'],
  ])('refuses %s with 400', async (_name, raw, type) => {
    const reply = await gateway.send('POST', '/projects/1/things', {
      ...token(),
      raw,
      headers: { 'Content-Type': type },
    });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body)).toEqual(['error']);
  });

  it.each([
    ['a NUL', '\0'],
    ['a lone surrogate', 'x\ud800'],
  ])('refuses %s wherever it stands in an object (PostgreSQL stores neither)', async (_name, odd) => {
    const send = (body: object) => gateway.send('POST', '/projects/1/things', { ...token(), body });
    for (const extra of [{ a: odd }, { [odd]: 1 }, { a: { b: [1, { c: odd }] } }])
      expect([(await send({ name: 'n', extra })).body]).toEqual([{ error: 'extra is invalid' }]);
    expect((await send({ name: 'n', example: { a: [odd] } })).body).toMatchObject({ name: 'n' });
    expect((await send({ name: 'n', example: `{"a":"${odd}"}` })).body).toEqual({ error: 'example is invalid' });
    const fine = { a: { b: [1, null, '\u{1f600}'] } };
    expect((await send({ name: 'n', extra: fine })).body).toEqual({ name: 'n', extra: fine });
  });

  it('takes the last of what is sent twice, all of an array, and hashes of an array one by one, as Rack does', async () => {
    const raw = [
      ...['name=a', 'name=b', 'ids[]=1', 'ids[]=2', 'not[author_id]=1', 'not[author_id]=2'],
      ...['steps[][do]=x', 'steps[][tags][]=1', 'steps[][tags][]=2', 'steps[][do]=y', 'steps[][do]=z'],
    ];
    const expected = {
      name: 'b',
      ids: [1, 2],
      not: { author_id: 2 },
      steps: [{ do: 'x', tags: ['1', '2'] }, { do: 'y' }, { do: 'z' }],
    };
    const path = '/projects/1/things';
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const parts = raw.map((pair) => {
      const [name, value] = pair.split('=');
      return `--line\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    });
    const type = { 'Content-Type': 'multipart/form-data; boundary=line' };
    for (const reply of [
      await gateway.send('POST', path, { ...token(), raw: raw.join('&'), headers: form }),
      await gateway.send('POST', `${path}?${raw.join('&')}`, token()),
      await gateway.send('POST', path, { ...token(), raw: `${parts.join('')}--line--\r\n`, headers: type }),
    ])
      expect([reply.status, reply.body]).toEqual([201, expected]);
  });

  it('takes dates and timestamps that exist, and no others', async () => {
    const send = async (params: object) =>
      (await gateway.send('POST', '/projects/1/things', { ...token(), body: { name: 'n', ...params } })).body;
    const fine = ['2024-02-29', '2024-02-29T23:59:59.5Z', '2024-02-29 12:00+01:00', '2024-02-29T00:30:00-0100'];
    const timestamps = ['2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.500Z', '2024-02-29T11:00:00.000Z'];
    expect(await Promise.all(fine.map(async (at) => (await send({ at })).at))).toEqual([
      ...timestamps,
      '2024-02-29T01:30:00.000Z',
    ]);
    for (const day of ['2020-02-30', '2023-02-29', '2024-04-31', '2024-13-01', '2024-00-10', '0000-01-01']) {
      expect([day, await send({ due: day })]).toEqual([day, { error: 'due is invalid' }]);
      for (const at of [day, `${day}T00:00:00Z`, `${day} 12:00:00+01:00`])
        expect([at, await send({ at, due: at })]).toEqual([at, { error: 'due is invalid, at is invalid' }]);
    }
    for (const at of ['2024-01-01T25:00:00Z', '2024-01-01T00:60:00Z', '2024-01-01T00:00:00+25:00'])
      expect([at, await send({ at, due: at })]).toEqual([at, { error: 'due is invalid, at is invalid' }]);
  });

  it('takes a timestamp for the date that it writes', async () => {
    const days = ['2024-02-29', '2024-02-29T00:00:00Z', '2024-02-29T23:30:00-05:00', '2024-02-29 00:30:00.123+0200'];
    for (const due of days) {
      const body = await gateway.send('POST', '/projects/1/things', { ...token(), body: { name: 'n', due } });
      const query = await gateway.send('POST', `/projects/1/things?name=n&due=${due.replace(' ', 'T')}`, token());
      expect([due, body.body.due, query.body.due]).toEqual([due, '2024-02-29', '2024-02-29']);
    }
  });

  it('refuses a body over 5 MiB with 413 and an unknown type with 415', async () => {
    const large = await gateway.send('POST', '/projects/1/things', {
      ...token(),
      raw: Buffer.alloc((5 << 20) + 1, 'a'),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(large.status).toBe(413);
    const odd = await gateway.send('POST', '/projects/1/things', {
      ...token(),
      raw: 'x',
      headers: { 'Content-Type': 'application/xml' },
    });
    expect(odd.status).toBe(415);
  });

  it('refuses deep JSON before it is parsed, and counts no bracket inside a text', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const deep = `${'{"a":'.repeat(700_000)}1${'}'.repeat(700_000)}`;
    const parse = jest.spyOn(JSON, 'parse');
    const before = process.cpuUsage();
    const refused = await gateway.send('POST', '/projects/1/things', { ...token(), headers, raw: deep });
    // Processor time of client and gateway: the machine's other load does not count.
    const { user, system } = process.cpuUsage(before);
    const parsed = parse.mock.calls.filter(([text]) => text.length > 1_000);
    parse.mockRestore();
    expect([refused.status, refused.body]).toEqual([400, { error: 'the body is nested too deeply' }]);
    expect(parsed).toEqual([]);
    expect((user + system) / 1_000).toBeLessThan(400);
    const name = `${'[{'.repeat(50)}"\\${'{'.repeat(50)}\\"`;
    const taken = await gateway.send('POST', '/projects/1/things', { ...token(), body: { name } });
    expect([taken.status, taken.body.name]).toEqual([201, name]);
  });

  it('refuses multipart bodies that break off, and lives on', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=line' };
    const file = 'Content-Disposition: form-data; name="a"; filename="x"';
    for (const raw of [
      `--line\r\n${file}\r\n\r\nx`,
      '--line\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
      '--line\r\nContent-Dispo',
      '--line\r\n',
      'x',
    ]) {
      const reply = await gateway.send('POST', '/projects/1/things', { ...token(), headers, raw });
      expect([raw, reply.status, reply.body]).toEqual([raw, 400, { error: 'the multipart body is not valid' }]);
    }
    const whole = `--line\r\n${file}\r\n\r\nx\r\n--line\r\nContent-Disposition: form-data; name="name"\r\n\r\nn\r\n--line--\r\n`;
    const taken = await gateway.send('POST', '/projects/1/things', { ...token(), headers, raw: whole });
    expect([taken.status, taken.body]).toEqual([201, { name: 'n' }]);
  });

  describe('bytes that are no UTF-8', () => {
    const part = (value: string, head = 'name="name"') =>
      `--line\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const types = {
      json: 'application/json',
      form: 'application/x-www-form-urlencoded',
      parts: 'multipart/form-data; boundary=line',
    };
    const post = (kind: keyof typeof types, raw: string) =>
      gateway.send('POST', '/projects/1/things', {
        ...token(),
        raw: Buffer.from(raw, 'latin1'),
        headers: { 'Content-Type': types[kind] },
      });
    const bytes = (text: string) => Buffer.from(text).toString('latin1');

    it.each<[string, keyof typeof types, string]>([
      ['an escaped surrogate in a form', 'form', 'name=a%ED%A0%80b'],
      ['an escaped byte in a form', 'form', 'name=a%FF%20b%26c'],
      ['an overlong escape in a name', 'form', 'name=x&%C0%AF=1'],
      ['half an escape', 'form', 'name=100%&count=%C3%A4'],
      ['a raw byte in a form', 'form', 'name=a\xffb'],
      ['a raw byte in JSON', 'json', '{"name":"a\xffb"}'],
      ['a raw surrogate in JSON', 'json', '{"name":"a\xed\xa0\x80b"}'],
      ['a raw byte in a field', 'parts', `${part('a\xff')}--line--\r\n`],
      ['a broken end of a field', 'parts', `${part('a\xc3')}--line--\r\n`],
      ['a raw byte in the name of a field', 'parts', `${part('n')}${part('1', 'name="n\xffme"')}--line--\r\n`],
    ])('are refused: %s', async (_name, kind, raw) => {
      const { status, body } = await post(kind, raw);
      expect([status, body]).toEqual([400, { error: 'parameters are not valid UTF-8' }]);
    });

    it('are refused in the query', async () => {
      for (const query of ['name=a%FFb', 'x=%ED%A0%80', 'name=%'])
        expect([query, (await gateway.send('POST', `/projects/1/things?${query}`, { ...token() })).body]).toEqual([
          query,
          { error: 'parameters are not valid UTF-8' },
        ]);
    });

    it('are none of ours in a file, and what is UTF-8 comes as it was sent', async () => {
      const name = 'ä 100% a%20b+c \u{1f600}\ufffd';
      const file = part('\xff\xfe', 'name="file"; filename="x"');
      const taken = [
        await post('json', bytes(JSON.stringify({ name }))),
        await post('form', `name=${encodeURIComponent(name)}`),
        await post('parts', `${part(bytes(name))}--line--\r\n`),
        await post('parts', `${part('n')}${file}--line--\r\n`),
      ];
      expect(taken.map(({ body }) => body.name)).toEqual([name, name, name, 'n']);
    });
  });

  it('answers the next request on a connection whose multipart body was too large', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
      new Promise<number>((resolve, reject) => {
        const sent = request(`${gateway.url}/api/v4${path}`, { method, agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        });
        sent.on('error', reject).end(body);
      });
    const part = '--line\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
    const headers = { 'Content-Type': 'multipart/form-data; boundary=line' };
    expect(await ask('POST', '/projects/1/things', headers, `${part}${'x'.repeat(6 << 20)}\r\n--line--\r\n`)).toBe(413);
    expect(await ask('GET', '/open', {})).toBe(200);
    agent.destroy();
  });

  it('refuses headers it cannot read as JSON too', async () => {
    const reply = await gateway.send('GET', `/open?a=${'x'.repeat(40_000)}`);
    expect([reply.status, reply.body]).toEqual([431, { error: '431 Request Header Fields Too Large' }]);
  });

  it('answers a route at both of its paths, and refuses other verbs at both', async () => {
    for (const path of ['/open', '/-/open']) {
      expect((await gateway.send('GET', path, {})).status).toBe(200);
      expect((await gateway.send('POST', path, {})).status).toBe(405);
    }
  });

  it('answers a wrong token with 401 also on public routes (G-5-2)', async () => {
    answer = resolved({ tokenRefusal: ResolveResponse_TokenRefusal.TOKEN_REFUSAL_UNKNOWN, actor: undefined });
    expect((await gateway.send('GET', '/open', token())).status).toBe(401);
  });

  it('describes an expired token as OAuth does (G-5-3)', async () => {
    answer = resolved({ tokenRefusal: ResolveResponse_TokenRefusal.TOKEN_REFUSAL_EXPIRED, actor: undefined });
    const reply = await gateway.send('GET', '/open', token());
    expect(reply.status).toBe(401);
    expect(reply.body.error).toBe('invalid_token');
    expect(reply.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('names the scopes that would do (G-5-4)', async () => {
    answer = resolved({ actor: actor({ scopes: ['read_user'] }), access: projectAccess() });
    const reply = await gateway.send('GET', '/projects/1/things', token());
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ error: 'insufficient_scope', scope: 'api read_api' });
  });

  it('hides an invisible project behind the same 404 as a missing one, and refuses a visible one with 403 (G-5-15)', async () => {
    answer = resolved();
    const hidden = await gateway.send('GET', '/projects/1/things', token());
    expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Project Not Found' }]);
    answer = resolved({ access: projectAccess({ level: 10 }) });
    expect((await gateway.send('GET', '/projects/1/things', token())).status).toBe(403);
  });

  it('asks for a token before it says anything of a project (G-1-11)', async () => {
    answer = resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0 }) });
    expect((await gateway.send('POST', '/projects/1/things', { body: { name: 'x' } })).status).toBe(401);
  });

  it('refuses what belongs to a feature that is closed to the caller, however open the project is', async () => {
    const closed = Access_ClosedFeatures.fromPartial({ repository: true, mergeRequests: true });
    answer = resolved({ access: projectAccess({ visibility: 'public', level: 0, closed }) });
    expect((await gateway.send('GET', '/projects/closed%2Fcode/things', token())).status).toBe(403);
    answer = resolved({ actor: anonymous, access: projectAccess({ visibility: 'public', level: 0, closed }) });
    expect((await gateway.send('GET', '/projects/closed%2Fcode/things')).status).toBe(401);
    answer = resolved({
      access: projectAccess({ visibility: 'public', level: 0, closed: { ...closed, repository: false } }),
    });
    expect((await gateway.send('GET', '/projects/closed%2Fcode/things', token())).status).toBe(200);
  });

  it('refuses a feature of a higher tier with 403', async () => {
    answer = resolved({ access: projectAccess({ tier: 'free' }) });
    expect((await gateway.send('GET', '/projects/1/trains', token())).status).toBe(403);
  });

  it('redirects a GET of an old path and refuses other verbs (G-1-7)', async () => {
    answer = resolved({ movedTo: 42 });
    const moved = await gateway.send('GET', '/projects/old%2Fpath/things?page=2', token());
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      'https://forge.example/api/v4/projects/42/things?page=2',
    ]);
    expect(
      (await gateway.send('POST', '/projects/old%2Fpath/things', { ...token(), body: { name: 'x' } })).status,
    ).toBe(405);
  });

  it('pages with all headers, keeps the request parameters and the external host in links (G-1-21, G-1-22)', async () => {
    const reply = await gateway.send('GET', '/projects/1/things?labels[]=a&page=2&per_page=1', token());
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-page': '2',
      'x-per-page': '1',
      'x-next-page': '3',
      'x-prev-page': '1',
      'x-total': '3',
      'x-total-pages': '3',
    });
    const links = reply.headers.get('link')?.split(', ') ?? [];
    expect(links.map((link) => link.replace(/.*rel="(.*)"/, '$1'))).toEqual(['prev', 'next', 'first', 'last']);
    expect(links[0]).toContain('https://forge.example/api/v4/projects/1/things?labels%5B%5D=a&page=1&per_page=1');
  });

  it('keeps links short enough for clients: far ones go first', async () => {
    const links = async (length: number) => {
      const reply = await gateway.send(
        'GET',
        `/projects/1/things?page=2&per_page=1&search=${'x'.repeat(length)}`,
        token(),
      );
      expect([reply.status, reply.headers.get('x-next-page')]).toEqual([200, '3']);
      return [...(reply.headers.get('link') ?? '').matchAll(/rel="(\w+)"/g)].map((match) => match[1]);
    };
    expect(await links(10)).toEqual(['prev', 'next', 'first', 'last']);
    expect(await links(5_000)).toEqual(['prev', 'next']);
    expect(await links(12_000)).toEqual([]);
  });

  it('leaves totals out when the list does (G-1-23)', async () => {
    total = undefined;
    const reply = await gateway.send('GET', '/projects/1/things', token());
    expect(reply.headers.get('x-total')).toBeNull();
    expect(reply.headers.get('link')).not.toContain('rel="last"');
  });

  it('clamps, refuses and forgives page sizes as G-1-20 says', async () => {
    const clamped = await gateway.send('GET', '/projects/1/things?per_page=1000&page=-3', token());
    expect(Object.fromEntries(clamped.headers)).toMatchObject({ 'x-per-page': '100', 'x-page': '1' });
    expect((await gateway.send('GET', '/projects/1/things?per_page=0', token())).body).toEqual({
      error: 'per_page has a value not allowed',
    });
    expect((await gateway.send('GET', '/projects/1/things?page=x', token())).body).toEqual({
      error: 'page is invalid',
    });
  });

  it('gives a cursor with keyset paging (G-1-31)', async () => {
    const reply = await gateway.send('GET', '/projects/1/things?pagination=keyset', token());
    expect(reply.headers.get('link')).toMatch(/cursor=abc.*rel="next"$/);
    expect([reply.headers.get('x-next-cursor'), reply.headers.get('x-total')]).toEqual(['abc', null]);
  });

  it('answers HEAD, and 304 to a known ETag (G-1-8, G-1-9)', async () => {
    const first = await gateway.send('GET', '/projects/1/things', token());
    const again = await gateway.send('GET', '/projects/1/things', {
      ...token(),
      headers: { 'If-None-Match': first.headers.get('etag') as string },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await gateway.send('HEAD', '/projects/1/things', token());
    expect([head.status, head.text, head.headers.get('x-total')]).toEqual([200, '', '3']);
  });

  it('keeps a request id and invents one', async () => {
    expect(
      (await gateway.send('GET', '/open', { headers: { 'X-Request-Id': 'mine-1' } })).headers.get('x-request-id'),
    ).toBe('mine-1');
    expect((await gateway.send('GET', '/open')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('knows wrong verbs and unknown paths', async () => {
    const verb = await gateway.send('DELETE', '/projects/1/things', token());
    expect([verb.status, verb.body, verb.headers.get('allow')]).toEqual([
      405,
      { error: '405 Not Allowed' },
      'GET, POST, HEAD, OPTIONS',
    ]);
    expect(await gateway.send('GET', '/nowhere', token())).toMatchObject({
      status: 404,
      body: { error: '404 Not Found' },
    });
    const old = await fetch(`${gateway.url}/api/v3/projects`);
    expect(old.status).toBe(410);
    expect((await gateway.send('GET', '/projects/%E0%A4%A/things', token())).status).toBe(400);
  });

  it.each([
    ['a missing thing', notFound('Branch'), 404, { message: '404 Branch Not Found' }],
    ['a conflict', conflict(['Another one']), 409, { message: ['Another one'] }],
    ['a failed validation', invalid({ title: ['is too long'] }), 400, { message: { title: ['is too long'] } }],
    ['a bug', new Error('select * from secrets'), 500, { message: '500 Internal Server Error' }],
  ])('renders %s', async (_name, error, status, body) => {
    failure = error as Error;
    expect(await gateway.send('GET', '/projects/1/things', token())).toMatchObject({ status, body });
  });

  it('reuses a positive answer for a second, and never a denial', async () => {
    const same = token();
    asked = 0;
    await gateway.send('GET', '/projects/1/things', same);
    await gateway.send('GET', '/projects/1/things', same);
    expect(asked).toBe(1);
    const refused = token();
    answer = resolved({ access: projectAccess({ level: 10 }) });
    await gateway.send('GET', '/projects/1/things', refused);
    await gateway.send('GET', '/projects/1/things', refused);
    expect(asked).toBe(3);
    answer = resolved({ access: projectAccess({ level: 30 }) });
    expect((await gateway.send('GET', '/projects/1/things', refused)).status).toBe(200);
  });
});

describe('request throttles (G-7-8)', () => {
  it('answer 429 as text with all headers', async () => {
    const gateway = await startTestGateway({
      routes: kernelRoutes(async () => entity({})),
      config: { SWITCHYARD_THROTTLE_AUTHENTICATED: { requests: 2, seconds: 60 } },
    });
    const send = () => gateway.send('GET', '/open', { token: 'glpat-throttled' });
    const first = await send();
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    await send();
    const third = await send();
    expect([third.status, third.text, third.headers.get('retry-after')]).toEqual([429, 'Retry later\n', '60']);
    expect(third.headers.get('ratelimit-name')).toBe('throttle_authenticated_api');
    await gateway.close();
  });
});
