import { type StartEdges, startGistImports } from './start-import';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('says after 20 s that a forge does not answer, asks it no longer, and keeps nothing (G-4.19-3)', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const edges = {
    imports: { add: () => Promise.reject(new Error('it was kept')) },
    forges: {
      problemOf: () => undefined,
      open: (_host: string, _token: string, signal?: AbortSignal) => {
        signals.push(signal);
        return { gists: () => new Promise<never>(() => undefined) };
      },
    },
    workSoon: () => undefined,
  } as unknown as StartEdges;
  const refused = expect(startGistImports(edges).start(7, '', 'token')).rejects.toMatchObject({
    kind: 'unprocessable',
    body: { errors: 'The forge does not answer within 20 seconds' },
  });
  await jest.advanceTimersByTimeAsync(19_999);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  await jest.advanceTimersByTimeAsync(1);
  await refused;
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});
