import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { invalid } from '@switchyard/errors';
import { listen } from '@switchyard/service';
import { sayStartFailed } from '../src/start-failure';

const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
afterEach(() => write.mockClear());
afterAll(() => write.mockRestore());

const codeOf = (error: unknown) => sayStartFailed('things', error, ['HTTP_PORT', 'SWITCHYARD_DATA']);

test.each<[number, string, unknown]>([
  [78, 'SWITCHYARD_DATA: is not a folder', new Error('SWITCHYARD_DATA: is not a folder')],
  [78, 'HTTP_PORT: is odd; OTHER: is not', new Error('HTTP_PORT: is odd;\nOTHER: is not')],
  [78, 'HTTP_PORT: is odd', Object.assign(invalid('no'), { cause: new Error('HTTP_PORT: is odd') })],
  [1, 'SWITCHYARD_DATA cannot be read', new Error('SWITCHYARD_DATA cannot be read')],
  [1, 'EACCES: permission denied', new Error('EACCES: permission denied')],
  [1, 'connect ECONNREFUSED', new Error('connect ECONNREFUSED')],
  [1, 'nothing', 'nothing'],
])('%i is the exit code of %j', (code, line, error) => {
  expect(codeOf(error)).toBe(code);
  expect(write.mock.calls).toEqual([[`things: ${line}\n`]]);
});

test('a taken port may be free at the next start, a host of another machine is not ours then either', async () => {
  const other = createTcpServer();
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  const { port } = other.address() as AddressInfo;
  const at = (host: string) =>
    listen(createServer(), { host, port, variables: { host: 'HTTP_PORT', port: 'HTTP_PORT' } });
  expect(codeOf(await at('127.0.0.1').catch((error) => error))).toBe(1);
  expect(codeOf(await at('192.0.2.1').catch((error) => error))).toBe(78);
  other.close();
});
