import { countStatements, openDatabase } from '@switchyard/database';
import {
  BroadcastMessageServiceService,
  BroadcastMessageSettings,
} from '@switchyard/protos/groups_admin/v1/broadcast_message';
import { broadcastMessageStore } from '../../src/broadcast-messages/storage/broadcast-message.store';
import { conforming } from '../support/components';
import { refusal } from '../support/group-clients';
import { pageOf } from '../support/running-groups';
import { bodyOf, rootToken, startTestService, type TestService } from '../support/running-service';

let service: TestService;
let as: Awaited<ReturnType<TestService['as']>>;
beforeAll(async () => {
  service = await startTestService();
  as = await service.as(rootToken);
});
afterAll(() => service.close());

const messages = () => service.client(BroadcastMessageServiceService);
const create = async (given: object) => {
  const settings = BroadcastMessageSettings.fromPartial(given);
  return conforming('BroadcastMessage', bodyOf(await messages().createBroadcastMessage({ settings }, as)));
};
const update = async (broadcastMessageId: number, given: object) => {
  const request = { broadcastMessageId, settings: BroadcastMessageSettings.fromPartial(given) };
  return conforming('BroadcastMessage', bodyOf(await messages().updateBroadcastMessage(request, as)));
};
const get = async (broadcastMessageId: number) =>
  conforming('BroadcastMessage', bodyOf(await messages().getBroadcastMessage({ broadcastMessageId }, as)));
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test('a message has defaults and is active at once (api.md 4.13, G-2-28)', async () => {
  const made = await create({ message: 'Hello' });
  expect(made).toMatchObject({
    message: 'Hello',
    font: '#FFFFFF',
    active: true,
    target_access_levels: [],
    target_path: '',
    broadcast_type: 'banner',
    dismissable: false,
    theme: 'indigo',
  });
  expect(new Date(made.ends_at).getTime() - new Date(made.starts_at).getTime()).toBe(3_600_000);
  expect(await get(made.id)).toEqual(made);
});

test('what was given is kept and changed, and the clock says what is active (G-4.13-4)', async () => {
  const { id } = await create({
    message: 'Soon',
    startsAt: inMinutes(5),
    endsAt: inMinutes(10),
    targetAccessLevels: { levels: [30, 10, 30] },
    targetPath: '*/welcome',
    theme: 'light-red',
    dismissable: true,
    font: '#abc',
  });
  expect(await get(id)).toMatchObject({
    active: false,
    target_access_levels: [10, 30],
    target_path: '*/welcome',
    theme: 'light-red',
    dismissable: true,
    font: '#abc',
  });
  expect(await update(id, { startsAt: inMinutes(-5) })).toMatchObject({ active: true, message: 'Soon' });
  expect(await update(id, { endsAt: inMinutes(-4) })).toMatchObject({ active: false });
  expect(await update(id, { targetAccessLevels: { levels: [] }, targetPath: '' })).toMatchObject({
    target_access_levels: [],
    target_path: '',
    theme: 'light-red',
  });
  expect(await update(id, { broadcastType: 'notification' })).toMatchObject({ theme: 'indigo' });
});

test('a change that does not fit what stays is refused and changes nothing', async () => {
  const made = await create({ message: 'Kept' });
  expect(await refusal(update(made.id, { endsAt: inMinutes(-60), font: 'red' }))).toEqual({
    kind: 'invalid',
    message: { ends_at: ['must not be before starts_at'], font: ['must be a valid color code'] },
  });
  expect(await get(made.id)).toEqual(made);
  const missing = { kind: 'not_found', message: '404 Not found' };
  expect(await refusal(update(999_999, { message: 'x' }))).toEqual(missing);
  expect(await refusal(get(999_999))).toEqual(missing);
});

test('lists run from the newest, in both pagings and two statements (G-4.13-2)', async () => {
  const last = await create({ message: 'last' });
  const idsOf = async (given: object) => {
    const reply = await messages().listBroadcastMessages({ page: pageOf({ perPage: 2, ...given }) }, as);
    const ids = conforming('BroadcastMessage', bodyOf(reply)).map(({ id }: { id: number }) => id);
    return { ids, cursor: reply.page?.nextCursor ?? '', total: reply.page?.total };
  };
  const offset = await idsOf({ page: 2 });
  const first = await idsOf({ keyset: true });
  expect(first.ids).toEqual([last.id, last.id - 1]);
  expect(offset).toMatchObject({ ids: [last.id - 2, last.id - 3], total: last.id });
  expect((await idsOf({ keyset: true, cursor: first.cursor })).ids).toEqual(offset.ids);
  const db = openDatabase({ url: service.databaseUrl, applicationName: 'test' });
  const page = { mode: 'offset', page: 1, perPage: 20, orderBy: 'id', sort: 'desc' } as const;
  expect((await countStatements(() => broadcastMessageStore(db).list(page))).statements).toBe(2);
  await db.close();
});

test('a message that changed since is not deleted, and one that is gone is missing (G-4.13-1)', async () => {
  const { id } = await create({ message: 'x' });
  const remove = (ifUnmodifiedSince?: Date) =>
    messages().deleteBroadcastMessage({ broadcastMessageId: id, ifUnmodifiedSince }, as);
  expect(await refusal(remove(inMinutes(-60)))).toMatchObject({ kind: 'precondition_failed' });
  expect((await remove(inMinutes(1))).status).toBe(204);
  expect(await refusal(remove())).toEqual({ kind: 'not_found', message: '404 Not found' });
});
