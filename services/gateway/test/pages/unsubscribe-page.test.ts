import { badRequest, unavailable } from '@switchyard/errors';
import { startTestGateway, type TestGateway } from '../support/gateway';

const token = `7.Issue.17.3.5.${'a'.repeat(43)}`;

let gateway: TestGateway;
let refusal: Error | undefined;
let project = false;
let everything = false;
beforeAll(async () => {
  gateway = await startTestGateway({
    config: { SWITCHYARD_EXTERNAL_URL: 'https://forge.example/under' },
    fakes: {
      'UnsubscribeService/Unsubscribe': async () => {
        if (refusal !== undefined) throw refusal;
        return { project, everything };
      },
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  refusal = undefined;
  project = false;
  everything = false;
  gateway.calls.length = 0;
});

const at = (query: string) => `${gateway.url}/-/unsubscribe${query}`;
const post = (query: string, fields: Record<string, string>) =>
  fetch(at(query), { method: 'POST', body: new URLSearchParams(fields) });
const called = () => gateway.calls.map(({ rpc, request }) => [rpc, request]);

it('a link that is opened changes nothing', async () => {
  const response = await fetch(at(`?token=${token}`));
  expect([response.status, response.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
  expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await response.text()).toContain('action="/under/-/unsubscribe"');
  expect(gateway.calls).toEqual([]);
});

it('its button ends the mails, and so does one click of a program (RFC 8058)', async () => {
  const ofEpic = token.replace('Issue.17.3.5', 'Epic.4.2.0');
  expect((await post(`?token=${ofEpic}`, { 'List-Unsubscribe': 'One-Click' })).status).toBe(200);
  expect(called()).toEqual([['UnsubscribeService/Unsubscribe', { token: ofEpic }]]);
  gateway.calls.length = 0;
  const pressed = await post('', { token });
  expect([pressed.status, await pressed.text()]).toEqual([200, expect.stringContaining('no more mails about this,')]);
  project = true;
  const clicked = await post(`?token=${token}`, { 'List-Unsubscribe': 'One-Click' });
  expect([clicked.status, await clicked.text()]).toEqual([200, expect.stringContaining('about this project.')]);
  [project, everything] = [false, true];
  const digest = token.replace('Issue.17.3.5', 'Digest.0.0.0');
  const stopped = await post(`?token=${digest}`, { 'List-Unsubscribe': 'One-Click' });
  expect([stopped.status, await stopped.text()]).toEqual([200, expect.stringContaining('no more digests')]);
  expect(called()[2]).toEqual(['UnsubscribeService/Unsubscribe', { token: digest }]);
  expect(called().slice(0, 2)).toEqual(Array(2).fill(['UnsubscribeService/Unsubscribe', { token }]));
});

it('what is wrong with a link is said; an owner that is away is no refusal', async () => {
  for (const bad of ['', '?token=', '?token=%3Cscript%3E', `?token=${token}x`])
    expect([bad, (await post(bad, {})).status]).toEqual([bad, 400]);
  expect(gateway.calls).toEqual([]);
  refusal = badRequest('The link is invalid');
  expect((await post('', { token })).status).toBe(400);
  refusal = unavailable();
  expect((await post('', { token })).status).toBe(503);
});
