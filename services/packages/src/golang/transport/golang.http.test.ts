import { EventEmitter } from 'node:events';
import type { AdmissionQueue, ForwardedCall } from '@switchyard/rpc';
import { golangHttp } from './golang.http';

it('counts the zips of each deploy token apart', async () => {
  const run = jest.fn(async () => undefined);
  const zip = golangHttp({
    openSource: () => ({}) as never,
    host: 'forge.example',
    zips: { run } as unknown as AdmissionQueue,
  }).find(({ path }) => path.source.includes('zip'));
  for (const actor of [{ userId: 7 }, { userId: 0, deployTokenId: 1 }, { userId: 0, deployTokenId: 2 }, { userId: 0 }])
    await zip?.run({
      claims: { actor: { scopes: ['read_repository'], ...actor }, access: { fullPath: 'a/b', visibility: 'public' } },
      parts: ['forge.example/a/b', 'v1.0.0'],
      response: new EventEmitter(),
    } as unknown as ForwardedCall);
  const owners = (run.mock.calls as unknown as [unknown, { owner: string }][]).map(([, { owner }]) => owner);
  expect(new Set(owners).size).toBe(4);
});
