import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { entity, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { rawHttp } from '../support/raw-http';
import { kernelRoutes } from './kernel-routes';

const list = () => page([{ id: 1 }], { keyset: false, page: 1, perPage: 20, total: 60, hasNext: true });

describe('what a reply says of its request', () => {
  let gateway: TestGateway;
  let moved = false;

  beforeAll(async () => {
    gateway = await startTestGateway({
      routes: kernelRoutes(async (context) => (context.list ? list() : entity({}))),
      config: { SWITCHYARD_EXTERNAL_URL: 'https://forge.example/code' },
      access: ({ token }) =>
        resolved({
          tokenRefusal: token === '' ? Token.TOKEN_REFUSAL_UNKNOWN : Token.TOKEN_REFUSAL_UNSPECIFIED,
          ...(moved ? { movedTo: 5 } : { access: projectAccess() }),
        }),
    });
  });
  beforeEach(() => {
    moved = false;
  });
  afterAll(() => gateway.close());

  const ask = async (target: string, headers: readonly string[] = []) => {
    const made = rawHttp(gateway.url);
    made.socket.write([`GET ${target} HTTP/1.1`, 'Host: evil.example', ...headers, '', ''].join('\r\n'));
    const reply = await made.reply();
    made.socket.destroy();
    return { ...reply, header: (name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(reply.head)?.[1] };
  };
  const things = '/api/v4/projects/group%2Fproject/things';

  it.each([
    ['private_token=s3cret'],
    ['access_token=s3cret'],
    ['private%5Ftoken=s3cret'],
    ['private_token=s3cret&job_token=s3cret&private_token[]=s3cret&access_token%5Ba%5D=s3cret'],
  ])('holds no token: %s', async (query) => {
    // Answers are reused for a second by token.
    const header = () => [`PRIVATE-TOKEN: s3cret${Math.random()}`];
    const paged = await ask(`${things}?${query}&labels=a`, query.includes('[]') ? header() : []);
    expect([paged.status, paged.header('link')]).toEqual([
      200,
      expect.stringContaining('<https://forge.example/code/api/v4/projects/group%2Fproject/things?labels=a&page=2&'),
    ]);
    expect(paged.head + paged.body).not.toContain('s3cret');
    moved = true;
    const redirected = await ask(`${things}?${query}&labels=a`, header());
    expect([redirected.status, redirected.header('location')]).toEqual([
      301,
      'https://forge.example/code/api/v4/projects/5/things?labels=a',
    ]);
    expect(redirected.head + redirected.body).not.toContain('s3cret');
  });

  it.each([
    [`http://evil.example${things}`, 200],
    [`HTTPS://user@evil.example:99${things}?labels=a`, 200],
    [`//evil.example${things}`, 404],
    [`http://evil.example/${things}`, 404],
    ['http://evil.example', 404],
  ])('takes no host from its sender: %s', async (target, status) => {
    for (moved of [false, true]) {
      const headers = [
        `PRIVATE-TOKEN: ${Math.random()}`,
        'X-Forwarded-Host: evil.example',
        'Forwarded: host=evil.example',
      ];
      const reply = await ask(target, headers);
      expect(reply.status).toBe(status === 200 && moved ? 301 : status);
      if (status === 200)
        expect(reply.header(moved ? 'location' : 'link')).toMatch(/https:\/\/forge\.example\/code\/api/);
      expect(reply.head + reply.body).not.toContain('evil');
    }
  });

  it('is a type that its sender takes, or 406', async () => {
    const statusOf = async (accept: string) => {
      const { status, body } = await gateway.send('GET', '/open', { token: 'x', headers: { Accept: accept } });
      return status === 406 ? [status, body] : [status];
    };
    const refused = [406, { error: '406 Not Acceptable' }];
    for (const accept of [
      'application/xml',
      'text/html, image/*',
      'application/vnd.api+json',
      'application/json;q=0, text/plain',
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, refused]);
    for (const accept of [
      '*/*',
      'application/*',
      'application/json',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'json',
      'garbage',
      '',
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, [200]]);
  });

  it('lets a browser load, run and frame nothing, except what the reference page needs', async () => {
    const policyOf = async (path: string) =>
      (await fetch(gateway.url + path, { redirect: 'manual' })).headers.get('content-security-policy');
    const strict = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";
    for (const path of ['/api/v4/open', '/api/v4/nothing', '/nothing', '/-/liveness', '/g/p.git/info/refs'])
      expect([path, await policyOf(path)]).toEqual([path, strict]);
    for (const path of ['/docs', '/docs/', '/docs/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/other']) {
      const policy = (await policyOf(path)) ?? '';
      expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self';")]);
      expect(policy).toContain("default-src 'none';");
      expect(policy).toContain("connect-src 'self' https://forge.example;");
    }
  });
});

describe('the reference', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ routes: kernelRoutes(async () => entity({})) });
  });
  afterAll(() => gateway.close());
  const get = (path: string) => fetch(gateway.url + path, { redirect: 'manual' });

  it('is a page whose scripts are files that it serves', async () => {
    const bare = await get('/docs');
    expect([bare.status, bare.headers.get('location')]).toEqual([301, '/docs/']);
    const reply = await get('/docs/');
    const html = await reply.text();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const scripts = [...html.matchAll(/<script\b([^>]*)>([^<]*)</g)];
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.filter(([, , inline]) => inline?.trim() !== '')).toEqual([]);
    expect(html).not.toMatch(/\son[a-z]+=/i);
    for (const [, attributes = ''] of scripts) {
      const file = await get(`/docs/${/src="\.\/([^"]+)"/.exec(attributes)?.[1]}`);
      expect([attributes, file.status, file.headers.get('content-type')]).toEqual([
        attributes,
        200,
        expect.stringContaining('javascript'),
      ]);
    }
  });

  it.each(['/docs/other', '/docs/a/b', '/docs/index.html', '/docs/package.json', '/docs/..%2fpackage.json'])(
    'has no %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe('a path that is written out', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => resolved({ access: projectAccess({ level: 50 }) }),
      otherwise: async () => entity({}),
    });
  });
  afterAll(() => gateway.close());

  it.each([
    ['PUT', '/projects/1/members/all'],
    ['DELETE', '/projects/1/members/all'],
    ['PUT', '/groups/1/members/all'],
    ['DELETE', '/groups/1/members/all'],
    ['DELETE', '/projects/1/pipelines/latest'],
  ])('is not the name of something else: %s %s', async (method, path) => {
    const reply = await gateway.send(method, path, { token: 'x', ...(method === 'PUT' ? { body: {} } : {}) });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const named = path.replace(/[a-z]+$/, '7');
    expect(
      (await gateway.send(method, named, { token: 'x', ...(method === 'PUT' ? { body: {} } : {}) })).status,
    ).not.toBe(405);
  });
});

it.each([
  ['HOST', { HOST: '192.0.2.1' }],
  ['HTTP_HOST', { HTTP_HOST: '192.0.2.1' }],
])('%s of another machine ends the start with one line that names it', async (name, config) => {
  await expect(startTestGateway({ config })).rejects.toThrow(new RegExp(`^${name}: listen EADDRNOTAVAIL[^\\n]+$`));
});
