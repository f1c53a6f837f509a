import type { CountRequestsRequest } from '@switchyard/protos/groups_admin/v1/request_count';
import { entity } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { sharedWindows } from '../../src/http/shared-windows';
import { resolved, startTestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

/** groups-admin's counters in memory. */
function counters() {
  const windows = new Map<string, { count: number; endsInMs: number }>();
  const requests: CountRequestsRequest[] = [];
  let away = false;
  return {
    requests,
    restart: () => windows.clear(),
    leave: (gone: boolean) => {
      away = gone;
    },
    async countRequests(request: CountRequestsRequest) {
      requests.push(request);
      if (away) throw new Error('away');
      const sums = request.counts.map(({ key, added, seconds }) => {
        const id = key.toString('hex');
        const window = windows.get(id) ?? { count: 0, endsInMs: seconds * 1_000 };
        windows.set(id, { ...window, count: window.count + added });
        return { ...window, count: window.count + added };
      });
      return { sums };
    },
  };
}

test('two gateways count together, and each by itself while groups-admin is away', async () => {
  const shared = counters();
  const gateways = [sharedWindows(shared as never), sharedWindows(shared as never)] as const;
  const [one, two, other] = [gateways[0].of('requests'), gateways[1].of('requests'), gateways[0].of('logins')];
  const exchanging = gateways.map((gateway) => gateway.start());
  for (let at = 0; at < 5; at += 1) one.count('user:1', 60);
  for (let at = 0; at < 3; at += 1) two.count('user:1', 60);
  other.count('user:1', 60);
  await eventually(() => {
    // The first to exchange learns of the others with its next request.
    one.count('user:2', 60);
    expect(shared.requests.length).toBeGreaterThan(1);
  });
  one.count('user:1', 60);
  two.count('user:1', 60);
  await eventually(() =>
    expect([one, two].map((own) => own.find('user:1')?.count ?? 0).sort((a, b) => a - b)).toEqual([9, 10]),
  );
  expect(other.find('user:1')?.count).toBe(1);
  two.discount('user:1');
  await eventually(() => expect(two.find('user:1')?.count).toBe(9));

  shared.leave(true);
  one.count('user:3', 60);
  two.count('user:3', 60);
  const before = shared.requests.length;
  await eventually(() => expect(shared.requests.length).toBeGreaterThanOrEqual(before + 2));
  expect([one, two].map((own) => own.find('user:3')?.count)).toEqual([1, 1]);
  await Promise.all(exchanging.map((exchange) => exchange.close()));
});

test('what a gateway counted while groups-admin was away still counts when it is back', async () => {
  const shared = counters();
  let clock = Date.now();
  const gateway = sharedWindows(shared as never, () => clock);
  const windows = gateway.of('requests');
  const exchanging = gateway.start();
  shared.leave(true);
  for (let at = 0; at < 9; at += 1) windows.count('user:1', 600);
  await eventually(() => expect(shared.requests).toHaveLength(1));
  shared.leave(false);
  windows.count('user:1', 600);
  // It is not asked again at once.
  clock += 5_000;
  await eventually(() => expect(shared.requests).toHaveLength(2));
  expect(windows.find('user:1')?.count).toBe(10);
  // The window ends at groups-admin first: what was counted in it counts no more.
  shared.restart();
  clock += 594_900;
  windows.count('user:1', 600);
  clock += 250;
  await eventually(() => expect(shared.requests).toHaveLength(3));
  await exchanging.close();
  expect(windows.find('user:1')?.count).toBe(1);
});

test('a limit is refused by a gateway whose requests alone would not fill it', async () => {
  const shared = counters();
  const start = () =>
    startTestGateway({
      routes: kernelRoutes(async () => entity({})),
      config: { SWITCHYARD_THROTTLE_AUTHENTICATED: { requests: 10, seconds: 60 } },
      access: () => resolved({}),
      fakes: { 'RequestCountService/CountRequests': (request: CountRequestsRequest) => shared.countRequests(request) },
    });
  const [one, two] = await Promise.all([start(), start()]);
  const send = (gateway: typeof one) => gateway.send('GET', '/open', { token: 'glpat-shared' });
  for (let at = 0; at < 9; at += 1) expect((await send(one)).status).not.toBe(429);
  await eventually(() => expect(shared.requests.flatMap(({ counts }) => counts).length).toBeGreaterThan(0));
  await send(two);
  await eventually(async () => expect((await send(two)).status).toBe(429));
  await Promise.all([one.close(), two.close()]);
});
