import { mayHaveBegun, unavailable } from '@switchyard/errors';
import type {
  IngestionServiceReceiveRequest,
  IngestionServiceReceiveResponse,
} from '@switchyard/protos/alerts/v1/ingestion';
import { eventually } from '@switchyard/testkit';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { keptKeys } from '../support/kept-keys';
import { refused, stored } from '../support/payload-answers';

let gateway: TestGateway;
const keys = keptKeys();
let receive: () => Promise<IngestionServiceReceiveResponse>;
let isRight: boolean;

beforeAll(async () => {
  gateway = await startTestGateway({
    fakes: {
      'IngestionService/Receive': async () => receive(),
      'IngestionService/CheckKey': async ({ key }: IngestionServiceReceiveRequest) => ({
        right: isRight && key !== 'wrong',
      }),
      ...keys.fakes,
    } as never,
    config: { SWITCHYARD_ALERT_PAYLOAD_LIMIT: 2_048 },
  });
});
beforeEach(() => {
  keys.forget();
  gateway.calls.length = 0;
  receive = async () => stored;
  isRight = true;
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

it('is refused with 422 where the key was used for another payload, or at another address', async () => {
  await post('one');
  const other = { status: 422, text: '', replayed: null, receipt: null, wait: null };
  expect(await post('one', '{"title":"y"}')).toEqual(other);
  expect(await post('one', undefined, 'key', '/g/q/alerts/notify.json')).toEqual(other);
  expect(received()).toBe(1);
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

it('keeps that nothing of a payload can be stored', async () => {
  receive = async () => refused(400);
  expect((await post('one')).status).toBe(400);
  expect(await post('one')).toMatchObject({ status: 400, text: '', replayed: 'true' });
  expect(received()).toBe(1);
});

it.each<[string, () => Promise<IngestionServiceReceiveResponse>, number]>([
  ['the service is away', () => Promise.reject(unavailable()), 503],
  ['the service has no room', async () => refused(503, 3), 503],
  ['a limit is reached', async () => refused(429, 3), 429],
  ['the integration is not active', async () => refused(403), 403],
])('frees the key when %s', async (_name, fails, status) => {
  receive = fails;
  expect((await post('one')).status).toBe(status);
  receive = async () => stored;
  expect(await post('one')).toMatchObject({ status: 200, replayed: null });
  expect(received()).toBe(2);
});

it('is 409 for good where nobody knows what became of the first one', async () => {
  receive = () => Promise.reject(mayHaveBegun(new Error('lost')));
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
});

it('takes no key for a sender without a right one', async () => {
  receive = async () => refused(401);
  expect((await post('one', undefined, 'wrong')).status).toBe(401);
  expect(callsOf('IdempotencyService/')).toBe(0);
});
