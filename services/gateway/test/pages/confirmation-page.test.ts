import { badRequest, unavailable } from '@switchyard/errors';
import { startTestGateway, type TestGateway } from '../support/gateway';

const token = `12-${'a'.repeat(43)}`;

let gateway: TestGateway;
let refusal: Error | undefined;
beforeAll(async () => {
  gateway = await startTestGateway({
    config: { SWITCHYARD_EXTERNAL_URL: 'https://forge.example/under' },
    fakes: {
      'UserEmailService/ConfirmUserEmail': async () => {
        if (refusal !== undefined) throw refusal;
        return { email: 'a&b@example.com' };
      },
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  refusal = undefined;
  gateway.calls.length = 0;
});

const open = (query: string, method = 'GET') => fetch(`${gateway.url}/-/confirmation${query}`, { method });
const press = (fields: Record<string, string>) =>
  fetch(`${gateway.url}/-/confirmation`, { method: 'POST', body: new URLSearchParams(fields) });

it('a link that is opened changes nothing; the page keeps its secret to itself', async () => {
  for (const method of ['GET', 'HEAD']) {
    const response = await open(`?token=${token}`, method);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')?.split(';').sort()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    if (method === 'GET') expect(await response.text()).toContain('action="/under/-/confirmation"');
  }
  expect(gateway.calls).toEqual([]);
});

it('its button confirms', async () => {
  const response = await press({ token });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('a&#38;b@example.com')]);
  expect(gateway.calls.map(({ rpc, request }) => [rpc, request])).toEqual([
    ['UserEmailService/ConfirmUserEmail', { token }],
  ]);
});

it('what is wrong with a link is said, and markup stays text', async () => {
  for (const bad of ['', '?token=', '?token=%3Cscript%3E', `?token=${token}x`]) {
    const response = await open(bad);
    expect([bad, response.status]).toEqual([bad, 400]);
    expect(await response.text()).not.toContain('<script');
  }
  expect((await press({ token: 'x' })).status).toBe(400);
  expect((await press({})).status).toBe(400);
  expect((await press({ token: 'x'.repeat(2_000) })).status).toBe(413);
  expect(gateway.calls).toEqual([]);
  refusal = badRequest('Email was already confirmed');
  const used = await press({ token });
  expect([used.status, await used.text()]).toEqual([
    400,
    expect.stringContaining('<p>Email was already confirmed</p>'),
  ]);
  refusal = unavailable();
  expect((await press({ token })).status).toBe(503);
});
