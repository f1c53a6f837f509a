import { AppError, forbidden, mayHaveBegun, tooManyRequests, unavailable } from '@switchyard/errors';
import type {
  IngestionServiceReceiveRequest,
  IngestionServiceReceiveResponse,
} from '@switchyard/protos/alerts/v1/ingestion';
import { begunNoter } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { keptKeys } from '../support/kept-keys';
import { refused, stored } from '../support/payload-answers';

let gateway: TestGateway;
const keys = keptKeys();
let receive: () => Promise<IngestionServiceReceiveResponse>;
let isRight: boolean;
/** What the owner of keys answers; as it does where undefined. */
let begin: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    fakes: {
      'IngestionService/Receive': async () => receive(),
      'IngestionService/CheckKey': async ({ key }: IngestionServiceReceiveRequest) => ({
        right: isRight && key !== 'wrong',
      }),
      ...keys.fakes,
      'IdempotencyService/BeginRequest': (request: never, options: never) =>
        begin?.() ?? keys.fakes['IdempotencyService/BeginRequest']?.(request, options),
    } as never,
    config: { SWITCHYARD_ALERT_PAYLOAD_LIMIT: 2_048 },
  });
});
beforeEach(() => {
  keys.forget();
  gateway.calls.length = 0;
  receive = async () => stored;
  isRight = true;
  begin = undefined;
});
afterAll(() => gateway.close());

async function post(key: string, body = '{"title":"x"}', integration = 'key', path = '/g/p/alerts/notify.json') {
  const headers = { Authorization: `Bearer ${integration}`, 'Idempotency-Key': key };
  const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
  const [replayed, receipt] = [reply.headers.get('idempotent-replayed'), reply.headers.get('x-alert-receipt')];
  return { status: reply.status, text: await reply.text(), replayed, receipt, wait: reply.headers.get('retry-after') };
}
const callsOf = (part: string) => gateway.calls.filter(({ rpc }) => rpc.startsWith(part)).length;
const received = () => callsOf('IngestionService/Receive');

it('is received once, and answered as the first time, with its receipt', async () => {
  const first = await post('one');
  expect(first).toEqual({ status: 200, text: `${stored.json}`, replayed: null, receipt: 'a-receipt', wait: null });
  expect(await post('one')).toEqual({ ...first, replayed: 'true' });
  expect(received()).toBe(1);
  // Keys are those of a key of an integration.
  expect((await post('one', undefined, 'of another')).replayed).toBeNull();
  expect(received()).toBe(2);
});

it('is refused with 422 where the key was used for another payload', async () => {
  await post('one');
  const other = { status: 422, text: '', replayed: null, receipt: null, wait: null };
  expect(await post('one', '{"title":"y"}')).toEqual(other);
  expect(received()).toBe(1);
});

it('is the same one at each address of its integration', async () => {
  await post('one');
  const named = '/g/p/alerts/notify/name/0123456789abcdef.json';
  for (const path of ['/G/P/alerts/notify', named])
    expect((await post('one', undefined, 'key', path)).replayed).toBe('true');
});

it('has an answer again that is almost as large as answers may be', async () => {
  const json = Buffer.from(JSON.stringify([{ iid: 1, title: '"'.repeat(500_000) }]));
  receive = async () => ({ ...stored, json });
  expect((await post('one')).text.length).toBe(json.length);
  expect(await post('one')).toMatchObject({ status: 200, replayed: 'true', receipt: 'a-receipt', text: `${json}` });
});

it('is received as without a key where the integration has too many, and counts', async () => {
  begin = () => Promise.reject(tooManyRequests(3_600));
  for (const _ of [1, 2]) expect(await post('one')).toMatchObject({ status: 200, replayed: null });
  expect(received()).toBe(2);
});

it.each<[string, () => Error]>([
  ['is away', () => unavailable()],
  ['fails', () => new AppError('internal')],
  ['refuses the gateway', () => forbidden()],
])('is 503 where the owner of keys %s', async (_name, error) => {
  begin = () => Promise.reject(error());
  const reply = await post('one');
  expect([reply.status, Number(reply.wait) > 0, received()]).toEqual([503, true, 0]);
});

it('is 409 with Retry-After while the first one is received', async () => {
  let finish = (): void => undefined;
  receive = () => new Promise((settle) => (finish = () => settle(stored)));
  const first = post('one');
  await eventually(() => expect(received()).toBe(1));
  const second = await post('one');
  expect([second.status, second.text, Number(second.wait) > 0]).toEqual([409, '', true]);
  finish();
  expect((await first).status).toBe(200);
  expect((await post('one')).replayed).toBe('true');
});

it.each<[string, () => Promise<IngestionServiceReceiveResponse>, number]>([
  ['the service is away', () => Promise.reject(unavailable()), 503],
  ['the service has no room', async () => refused(503, 3), 503],
  ['a limit is reached', async () => refused(429, 3), 429],
  ['the integration is not active', async () => refused(403), 403],
  ['nothing of the payload can be stored', async () => refused(400), 400],
])('frees the key when %s', async (_name, fails, status) => {
  receive = fails;
  expect((await post('one')).status).toBe(status);
  receive = async () => stored;
  expect(await post('one')).toMatchObject({ status: 200, replayed: null });
  expect(received()).toBe(2);
});

it.each<[string, () => Promise<IngestionServiceReceiveResponse>]>([
  ['its answer was lost', () => Promise.reject(mayHaveBegun(new Error('lost')))],
  [
    'the service failed after it had begun',
    () => {
      begunNoter()();
      return Promise.reject(unavailable());
    },
  ],
])('is 409 for good where nobody knows what became of the first one: %s', async (_name, fails) => {
  receive = fails;
  expect((await post('one')).status).toBe(503);
  expect(await post('one')).toMatchObject({ status: 409, text: '', wait: null });
  expect(received()).toBe(1);
});

it('is refused with 400 where the key is none', async () => {
  expect(await post('ä')).toMatchObject({ status: 400, text: '' });
  expect(received()).toBe(0);
});

it('does not answer who has lost the key of the integration meanwhile', async () => {
  await post('one');
  isRight = false;
  receive = async () => refused(401);
  expect(await post('one')).toMatchObject({ status: 401, text: '', replayed: null });
  expect(await post('one', '{"title":"y"}')).toMatchObject({ status: 401, text: '' });
});

it('takes no key for a sender without a right one', async () => {
  receive = async () => refused(401);
  expect((await post('one', undefined, 'wrong')).status).toBe(401);
  expect(callsOf('IdempotencyService/')).toBe(0);
});
