import { type TcpGate, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
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
