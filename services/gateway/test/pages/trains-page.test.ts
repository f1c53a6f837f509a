import { startTestGateway, type TestGateway } from '../support/gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ config: { SWITCHYARD_EXTERNAL_URL: 'https://forge.example/under' } });
});
afterAll(() => gateway.close());

const get = (path: string, more: RequestInit = {}) => fetch(`${gateway.url}${path}`, more);

/** Every file that the page names. */
async function filesOf(): Promise<string[]> {
  const page = await (await get('/-/trains/acme/web/release/2.0')).text();
  return [...page.matchAll(/(?:href|src)="\/under([^"]+)"/g)].map(([, path]) => path as string);
}

it('the page holds no script and no style of its own, and its policy allows none', async () => {
  for (const path of ['/-/trains', '/-/trains/acme/web', '/-/trains/acme/web/%3Cscript%3E']) {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy.split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await response.text();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=/);
    expect(page).not.toContain('%3C');
    expect(page).toContain('data-base="/under"');
  }
});

it('its files are its own, kept for good, and sent zipped where that is understood', async () => {
  const files = await filesOf();
  expect(files.map((one) => one.split('/').slice(5).join('/'))).toEqual([
    'icon.svg',
    'uplot.css',
    'page.css',
    'cars.css',
    'figures.css',
    'libs/preact.js',
    'main.js',
  ]);
  const root = (files.at(-1) as string).replace(/main\.js$/, '');
  const seen = new Set<string>();
  const wanted = files.map((one) => one.slice(root.length));
  for (const name of wanted) {
    const response = await get(root + name);
    expect([name, response.status, response.headers.get('cache-control')]).toEqual([
      name,
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const text = await response.text();
    expect(await (await get(root + name, { headers: { 'Accept-Encoding': 'identity' } })).text()).toBe(text);
    seen.add(name);
    // What it imports is served as well, to the last module, and nothing is imported from elsewhere.
    for (const [, from] of text.matchAll(/^import .* from ['"]([^'"]+)['"];$/gm)) {
      expect(from).toMatch(/^\.\.?\//);
      const path = new URL(from as string, `http://x/${name}`).pathname.slice(1);
      if (!seen.has(path) && !wanted.includes(path)) wanted.push(path);
    }
  }
  expect(seen).toContain('components/plot.js');
  expect(seen).toContain('libs/uplot.js');
});

it('a version of another instance gets the current file, which no cache keeps', async () => {
  for (const file of await filesOf()) {
    const other = await get(file.replace(/[0-9a-f]{16}/, '0'.repeat(16)));
    expect([file, other.status, other.headers.get('cache-control')]).toEqual([file, 200, 'no-store']);
    expect(await other.text()).toBe(await (await get(file)).text());
  }
});

it('a missing file fails the start', () => {
  jest.isolateModules(() => {
    const fs = jest.requireActual<typeof import('node:fs')>('node:fs');
    jest.doMock('node:fs', () => ({
      ...fs,
      readFileSync: (path: string) => fs.readFileSync(path.replace('cars.css', 'missing.css')),
    }));
    const { trainsPage } =
      require('../../src/pages/trains/trains-page') as typeof import('../../src/pages/trains/trains-page');
    expect(() => trainsPage('https://forge.example')({ get: () => undefined } as never)).toThrow(
      /ENOENT.*missing\.css/,
    );
    jest.dontMock('node:fs');
  });
});

it('serves nothing else', async () => {
  const [file] = await filesOf();
  const root = (file as string).replace(/icon\.svg$/, '');
  for (const path of [
    `${root}main.tsx`,
    `${root}main.d.ts`,
    `${root}../../../../package.json`,
    `${root}%2e%2e/package.json`,
    root.replace(/[0-9a-f]{16}/, '0'.repeat(16)),
    `${root.replace(/[0-9a-f]{16}/, '0'.repeat(16))}main.tsx`,
    `${root.replace(/[0-9a-f]{16}/, 'x')}main.js`,
    '/-/pages/trains/',
    '/-/trainsx',
  ]) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 404]);
  }
  expect((await get('/-/trains/acme/web', { method: 'POST' })).status).toBe(404);
});
