import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Client } from './password-file';
import { ServerWatch } from './server-watch';

test('a server that stands still for a minute finds few connections that were given up', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connect = jest.spyOn(Client.prototype, 'connect');
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'performance'] });
  const { port } = silent.address() as AddressInfo;
  const watch = new ServerWatch({ host: '127.0.0.1', port, user: 'one', password: 'two', database: 'three' });
  const fail = jest.fn();
  watch.wait(fail);
  jest.advanceTimersByTime(1_500);
  expect([connect.mock.calls.length, fail.mock.calls.length]).toEqual([1, 0]);
  jest.advanceTimersByTime(58_500);
  expect(fail).toHaveBeenCalledTimes(1);
  // After 0.5, 2.75, 7 and 15.25 s, and then each 8.25 s.
  expect(connect).toHaveBeenCalledTimes(9);
  watch.close();
  jest.useRealTimers();
  for (const socket of sockets) socket.destroy();
  silent.close();
  await once(silent, 'close');
});
