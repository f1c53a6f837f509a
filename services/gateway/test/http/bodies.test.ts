import { gzipSync } from 'node:zlib';
import { tooManyRequests, unavailable } from '@switchyard/errors';
import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { entity } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { type RawHttpClient, rawHttp } from '../support/raw-http';
import { kernelRoutes } from './kernel-routes';

jest.setTimeout(60_000);

const things = '/api/v4/projects/1/things';

/** Tokens say what becomes of them. */
const answers = (token: string) => {
  if (token === '') return resolved({ actor: undefined, access: projectAccess({ visibility: 'public', level: 0 }) });
  if (token === 'wrong') return resolved({ actor: undefined, tokenRefusal: Token.TOKEN_REFUSAL_UNKNOWN });
  if (token === 'nowhere') return resolved();
  if (token === 'away') throw unavailable();
  if (token === 'busy') throw tooManyRequests(60);
  const access = projectAccess({ visibility: 'public', level: token === 'guest' ? 10 : 30 });
  const scopes = token === 'reader' ? ['read_api'] : ['api'];
  return resolved({ actor: actor({ userId: token.length, username: token, scopes }), access });
};

const startGateway = (): Promise<TestGateway> =>
  startTestGateway({
    routes: kernelRoutes(async ({ params }) => entity(params as object)),
    access: ({ token }) => answers(token),
  });

const head = (target: string, headers: Record<string, string | number>, method = 'POST'): string =>
  [`${method} ${target} HTTP/1.1`, 'Host: x', ...Object.entries(headers).map((pair) => pair.join(': ')), '', ''].join(
    '\r\n',
  );
const json = { 'Content-Type': 'application/json' };

/** Connections to a gateway. */
function client(gateway: () => TestGateway) {
  const open: RawHttpClient[] = [];
  const connection = (): RawHttpClient => {
    const made = rawHttp(gateway().url);
    open.push(made);
    return made;
  };
  return {
    open,
    connection,
    /** Sends a head and some of the body; the rest is held back. */
    stalled(headers: Record<string, string | number>, part = '{"name":', target = things): RawHttpClient {
      const made = connection();
      made.socket.write(head(target, { ...json, 'Content-Length': 5 << 20, ...headers }) + part);
      return made;
    },
    close(): void {
      for (const { socket } of open.splice(0)) socket.destroy();
    },
  };
}

type Client = ReturnType<typeof client>;

/** What takes as long as senders are waited for. */
const shares: Readonly<Record<string, (gateway: TestGateway, client: Client) => Promise<void>>> = {
  'in the share of its user, whom others do not have to wait for': async (gateway, { stalled, open }) => {
    // Largest bodies of these routes, and so a share, are 5 MiB.
    for (let held = 0; held < 2; held += 1)
      stalled({ 'PRIVATE-TOKEN': 'ada' }, `{"name":"${'x'.repeat((5 << 19) - 1_000)}`);
    const send = (token: string) =>
      gateway.send('POST', '/projects/1/things', { token, body: { name: 'x'.repeat(1 << 16) } });
    await eventually(async () => expect((await send('ada')).status).toBe(503), { within: 30_000 });
    const refused = await send('ada');
    expect([refused.status, refused.body]).toEqual([503, { message: '503 Service Unavailable' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('another')).status).toBe(201);
    // What waits gets the room of what leaves.
    const waits = send('ada');
    open.shift()?.socket.destroy();
    expect((await waits).status).toBe(201);
  },
  'with a token, however much is held back without one': async (gateway, { stalled }) => {
    // Two fill the share of their address, and none of them waits for room: it would be refused, and give back what it holds.
    for (let held = 0; held < 2; held += 1) stalled({}, `{"name":"${'x'.repeat((4 << 20) - 1_000)}`);
    const send = (token?: string) =>
      gateway.send('POST', '/projects/1/things', {
        ...(token === undefined ? {} : { token }),
        // Of one piece: a part of it that was held while the rest waits could keep the two from filling the share.
        body: { name: 'x'.repeat(1 << 12), private_token: 'ada' },
      });
    await eventually(async () => expect((await send()).status).toBe(503), { within: 30_000 });
    expect((await send('ada')).status).toBe(201);
    // Anonymous callers are not waited for as long as users.
    await eventually(async () => expect((await send()).status).toBe(201), { within: 30_000 });
  },
};

describe('a body', () => {
  let gateway: TestGateway;
  const { connection, stalled, close } = client(() => gateway);
  let sharing: Readonly<Record<string, Promise<void>>>;

  /** Runs one on a gateway of its own. */
  const share = async (run: (typeof shares)[string]): Promise<void> => {
    const own = await startGateway();
    const senders = client(() => own);
    try {
      await run(own, senders);
    } finally {
      senders.close();
      await own.close();
    }
  };

  beforeAll(async () => {
    gateway = await startGateway();
    // They wait for time limits: beside all other tests of this file.
    sharing = Object.fromEntries(Object.entries(shares).map(([name, run]) => [name, share(run)]));
    for (const one of Object.values(sharing)) one.catch(() => undefined);
  });
  afterEach(close);
  afterAll(() => gateway.close());

  describe('is not waited for', () => {
    const cases = [
      ['by a wrong token', { 'PRIVATE-TOKEN': 'wrong' }, things, 401],
      ['by a wrong token in the query', {}, `${things}?private_token=wrong`, 401],
      ['by a token without the scope', { Authorization: 'Bearer reader' }, things, 403],
      ['by a caller who may not', { 'PRIVATE-TOKEN': 'guest' }, things, 403],
      ['for a project that is not there', { 'PRIVATE-TOKEN': 'nowhere' }, things, 404],
      ['where there is no such path', {}, '/api/v4/nothing', 404],
      ['where the path has no such verb', {}, '/api/v4/open', 405],
      ['when it is announced as too long', { 'PRIVATE-TOKEN': 'ada', 'Content-Length': (5 << 20) + 1 }, things, 413],
      ['when it is of another type', { 'PRIVATE-TOKEN': 'ada', 'Content-Type': 'text/csv' }, things, 415],
      ['when it is in another encoding', { 'PRIVATE-TOKEN': 'ada', 'Content-Encoding': 'br' }, things, 415],
    ] as const;
    const senders = client(() => gateway);
    let sent: RawHttpClient[];

    // All at once: a connection that is closed waits half a second for what still comes.
    beforeAll(() => {
      sent = cases.map(([, headers, target]) => senders.stalled(headers, '{"name":', target));
    });
    afterAll(senders.close);

    it.each(cases.map(([name, , , status], at) => [name, status, at] as const))('%s', async (_name, status, at) => {
      const made = sent[at] as RawHttpClient;
      const reply = await made.reply();
      expect([reply.status, /^connection: close\r$/im.test(reply.head)]).toEqual([status, true]);
      await eventually(() => expect(made.closed()).toBe(true));
    });
  });

  it('may hold the token of a caller who shows none elsewhere (G-5-1)', async () => {
    for (const [type, raw] of [
      ['application/json', '{"name":"n","private_token":"ada"}'],
      ['application/x-www-form-urlencoded', 'name=n&access_token=ada'],
    ] as const) {
      const send = (body: string) =>
        gateway.send('POST', '/projects/1/things', { headers: { 'Content-Type': type }, raw: body });
      expect([type, (await send(raw)).status]).toEqual([type, 201]);
      expect([type, (await send(raw.replace('ada', 'wrong'))).status]).toEqual([type, 401]);
      expect([type, (await send(raw.replace(/.(private|access)/, '&x'))).status]).toEqual([
        type,
        type.endsWith('json') ? 400 : 401,
      ]);
    }
    const big = { name: 'n', private_token: 'ada', extra: { x: 'x'.repeat(6 << 20) } };
    expect((await gateway.send('POST', '/projects/1/things', { body: big })).status).toBe(413);
  });

  it('may name the user an administrator acts for, which is resolved again (G-5-7)', async () => {
    gateway.calls.length = 0;
    const reply = await gateway.send('POST', '/projects/1/things', {
      token: 'admin',
      body: { name: 'n', sudo: 'bob' },
    });
    expect(reply.status).toBe(201);
    expect(gateway.calls.map(({ request }) => (request as { sudo: string }).sudo)).toEqual(['', 'bob']);
  });

  it.each([
    ['a number', '{"name":"n","sudo":7}', '7'],
    ['a number that is written otherwise', '{"name":"n","sudo":8.0}', '8.0'],
    ['a boolean', '{"name":"n","sudo":true}', 'true'],
    ['a list of one number', '{"name":"n","sudo":[9]}', '9'],
  ])('acts for no other user where that user is %s', async (_name, raw, sudo) => {
    gateway.calls.length = 0;
    await gateway.send('POST', '/projects/1/things', { token: 'admin', headers: json, raw });
    expect(gateway.calls.map(({ request }) => (request as { sudo: string }).sudo)).toContain(sudo);
  });

  it.each([
    ['a hash', '', '{"name":"n","sudo":{"id":7}}'],
    ['an empty list', '', '{"name":"n","sudo":[]}'],
    ['a hash in the query', '?sudo[id]=7', '{"name":"n"}'],
  ])('is refused where the user to act for is %s', async (_name, query, raw) => {
    const reply = await gateway.send('POST', `/projects/1/things${query}`, { token: 'admin', headers: json, raw });
    expect([reply.status, reply.body]).toEqual([400, { error: 'sudo is invalid' }]);
  });

  describe('that holds too much', () => {
    const post = (raw: string | Buffer, type = 'application/json', headers = {}) =>
      gateway.send('POST', '/projects/1/things', { token: 'ada', headers: { 'Content-Type': type, ...headers }, raw });
    const keys = (count: number, between: string, write: (name: string) => string) =>
      Array.from({ length: count }, (_, index) => write(`k${index}`)).join(between);
    const tooMany = [400, { error: 'too many parameters' }];

    it('of keys or values is refused, in every form', async () => {
      const part = (name: string) => `--line\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
      const object = (count: number) => `{"name":"n",${keys(count, ',', (name) => `"${name}":1`)}}`;
      const form = 'application/x-www-form-urlencoded';
      const parts = 'multipart/form-data; boundary=line';
      const replies = [
        await post(object(20_000)),
        await post(`{"name":"n","ids":[${'1,'.repeat(100_000)}1]}`),
        await post(gzipSync(object(20_000)), 'application/json', { 'Content-Encoding': 'gzip' }),
        await post(`name=n&${keys(1_000, '&', (name) => `${name}=1`)}`, form),
        await post(`${keys(1_001, '', part)}--line--\r\n`, parts),
        // Neither fields nor files.
        await post(`${part('name')}${'--line\r\nX: y\r\n\r\n\r\n'.repeat(1_101)}--line--\r\n`, parts),
      ];
      expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => tooMany));
      const taken = [
        await post(object(19_999)),
        await post(`name=n&${keys(999, '&', (name) => `${name}=1`)}`, form),
        await post(`${part('name')}${keys(999, '', part)}--line--\r\n`, parts),
      ];
      expect(taken.map(({ status }) => status)).toEqual([201, 201, 201]);
    });

    it('is refused before the rest of it has come', async () => {
      const object = `{${keys(20_001, ',', (name) => `"${name}":1`)},`;
      const reply = await stalled({ 'PRIVATE-TOKEN': 'ada' }, object).reply();
      expect([reply.status, JSON.parse(reply.body)]).toEqual(tooMany);
      const form = stalled({ 'Content-Type': 'application/x-www-form-urlencoded' }, 'a&'.repeat(1_001));
      expect((await form.reply()).status).toBe(400);
      const chunked = connection();
      chunked.socket.write(head(things, { ...json, 'PRIVATE-TOKEN': 'ada', 'Transfer-Encoding': 'chunked' }));
      for (let sent = 0; sent < 6; sent += 1) chunked.socket.write(`100000\r\n${' '.repeat(1 << 20)}\r\n`);
      expect((await chunked.reply()).status).toBe(413);
    });
  });

  describe('that its sender waits to be asked for', () => {
    const expecting = (headers: Record<string, string | number>) =>
      stalled({ Expect: '100-continue', 'Content-Length': 12, ...headers }, '');

    it('is asked for when it is wanted', async () => {
      const made = expecting({ 'PRIVATE-TOKEN': 'ada' });
      await eventually(() => expect(made.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
      made.socket.write('{"name":"n"}');
      expect(await made.reply()).toMatchObject({ status: 201, body: '{"name":"n"}' });
      made.socket.write(head('/api/v4/open', {}, 'GET'));
      expect((await made.reply()).status).toBe(200);
    });

    it('is not asked for when it is refused', async () => {
      for (const [headers, status] of [
        [{ 'PRIVATE-TOKEN': 'wrong' }, 401],
        [{ 'PRIVATE-TOKEN': 'ada', 'Content-Length': 6 << 20 }, 413],
        [{ 'PRIVATE-TOKEN': 'ada', 'Content-Type': 'text/csv' }, 415],
      ] as const) {
        const made = expecting(headers);
        expect((await made.reply()).status).toBe(status);
        await eventually(() => expect(made.closed()).toBe(true));
        expect(made.text()).not.toContain('100 Continue');
      }
    });
  });

  /** Every way of being refused with a body, on a connection that is kept. */
  const part = '--line\r\nContent-Disposition: form-data; name="name"\r\n\r\n';
  const bodies = {
    JSON: [json, '{"name":"n"}'],
    form: [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 'name=n'],
    multipart: [{ 'Content-Type': 'multipart/form-data; boundary=line' }, `${part}n\r\n--line--\r\n`],
    'long multipart': [
      { 'Content-Type': 'multipart/form-data; boundary=line' },
      `${part}${'x'.repeat(300_000)}\r\n--line--\r\n`,
    ],
    'long JSON': [json, `{"name":"${'x'.repeat(300_000)}"}`],
  } as const;
  const refusals: readonly [number, string, Record<string, string>, string?][] = [
    [400, things, { 'PRIVATE-TOKEN': 'ada' }, 'malformed'],
    [401, things, { 'PRIVATE-TOKEN': 'wrong' }],
    [403, things, { 'PRIVATE-TOKEN': 'reader' }],
    [404, things, { 'PRIVATE-TOKEN': 'nowhere' }],
    [404, '/api/v4/nothing', {}],
    [404, '/nothing', {}],
    [405, '/api/v4/open', {}],
    [406, things, { 'PRIVATE-TOKEN': 'ada', Accept: 'application/xml' }],
    [413, things, { 'PRIVATE-TOKEN': 'ada' }, 'too long'],
    [415, things, { 'PRIVATE-TOKEN': 'ada', 'Content-Encoding': 'br' }],
    [429, things, { 'PRIVATE-TOKEN': 'busy' }],
    [503, things, { 'PRIVATE-TOKEN': 'away' }],
  ];
  const ways = ['whole', 'chunked', 'expected'] as const;
  // All at once: a connection that is closed waits half a second for what still comes.
  it.each(refusals.map(([status, target, headers, fault = '']) => [status, target, fault, headers] as const))(
    'that is refused with %i (%s %s) leaves its connection fit for use, or closed, in every form',
    async (status, target, fault, headers) => {
      const refuse = async (form: keyof typeof bodies, way: (typeof ways)[number]): Promise<void> => {
        const [type, right] = bodies[form];
        const tooLong = `${right.slice(0, 120)}${'x'.repeat(6 << 20)}`;
        const broken = form === 'form' ? 'name=%FF' : right.slice(0, -4);
        const raw = fault === 'too long' ? tooLong : fault === 'malformed' ? broken : right;
        const made = connection();
        const length: Record<string, string | number> =
          way === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': raw.length };
        const sent = { ...type, ...headers, ...length, ...(way === 'expected' && { Expect: '100-continue' }) };
        made.socket.write(head(target, sent));
        if (way === 'expected')
          await eventually(() => expect(made.text()).toMatch(/^HTTP\/1\.1 (100|\d{3}[\s\S]*connection: close)/i));
        if (way === 'whole' || made.text().startsWith('HTTP/1.1 100')) made.socket.write(raw);
        if (way === 'chunked') made.socket.write(`${raw.length.toString(16)}\r\n${raw}\r\n0\r\n\r\n`);
        const reply = await made.reply();
        expect([form, way, reply.status]).toEqual([form, way, status]);
        if (/^connection: close\r$/im.test(reply.head))
          return eventually(() => expect([form, way, made.closed()]).toEqual([form, way, true]), { within: 10_000 });
        made.socket.write(head('/api/v4/open', {}, 'GET'));
        expect([form, way, (await made.reply()).status]).toEqual([form, way, 200]);
      };
      const forms = Object.keys(bodies) as (keyof typeof bodies)[];
      const tries = (form: keyof typeof bodies) => Promise.all(ways.map((way) => refuse(form, way)));
      // Those that are too long take the room of their user, who has room for one.
      if (fault === 'too long') for (const form of forms) await tries(form);
      else await Promise.all(forms.map(tries));
    },
  );

  describe('has a share of the memory', () => {
    it.each(Object.keys(shares))('%s', (name) => sharing[name]);
  });
});
