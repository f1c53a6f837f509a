import { freePort, type TcpGate, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
import { embeddedLog, logMigrations } from '../src';
import { busContract } from './bus-contract';

let home: TestDatabase;
let gate: TcpGate;

beforeAll(async () => {
  home = await testDatabase({ sets: [logMigrations] });
  const { hostname, port } = new URL(home.url);
  gate = await tcpGate({ host: hostname, port: Number(port) });
});

afterAll(async () => {
  await gate.close();
  await home.close();
});

busContract('embedded log', () => ({
  async open() {
    const url = new URL(home.url);
    url.host = `127.0.0.1:${gate.port}`;
    return embeddedLog({ url: url.href });
  },
  stop: () => gate.shut(),
  start: () => gate.open(),
}));

test('settings that can never work are refused at the start; a log that is away is no fault', async () => {
  const check = async (url: string): Promise<void> => {
    const bus = embeddedLog({ url });
    await bus.check([]).finally(() => bus.close());
  };
  await check(home.url);
  const wrong = Object.assign(new URL(home.url), { password: 'wrong' }).href;
  await expect(check(wrong)).rejects.toThrow(/^LOG_DATABASE_URL: password authentication failed/);
  await check(`postgres://nobody@127.0.0.1:${await freePort()}/none`);
});
