import type { Outbound, PreparedRequest, RequestLimits } from '@switchyard/outbound';
import { forgeaClient, forgeaHost } from './forgea.client';

it('reads a file of a gist for as long as somebody waits for it', async () => {
  const file = { filename: 'a', content: 'cut', truncated: true, raw_url: 'https://forge.example/raw/a' };
  const asked: (AbortSignal | undefined)[] = [];
  const outbound = {
    request: async ({ url }: PreparedRequest, { signal }: RequestLimits = {}) => {
      asked.push(signal);
      const body = url === file.raw_url ? 'whole' : JSON.stringify({ files: { a: file } });
      return { status: 200, headers: { 'content-type': 'application/json' }, body, isCut: false };
    },
  } as unknown as Outbound;
  const waiting = new AbortController();
  const client = forgeaClient(outbound, forgeaHost('https://forge.example'), 'token', waiting.signal);
  expect(await client.gistFiles('1')).toEqual([{ name: 'a', content: 'whole' }]);
  waiting.abort();
  expect(asked.map((signal) => signal?.aborted)).toEqual([true, true]);
});
