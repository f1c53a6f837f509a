import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommitServiceService, GetCommitRequest } from '@switchyard/protos/merge_requests/v1/commit';
import { anonymous, connect, implement, type RunningServer, startServer } from '@switchyard/rpc';
import { eventually, testIdentities } from '@switchyard/testkit';
import { admissions } from '../../src/git';
import { runGit, startGit } from '../../src/git/run-git';
import { runAsGitWork, runRequestAsGitWork } from '../../src/repositories/transport/as-git-work';

const identities = testIdentities(['gateway']);

/** A git that does not end, and how to see that its child runs. */
function endless() {
  const seconds = `4${Math.random().toString().slice(2, 8)}`;
  const running = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`sleep ${seconds}`);
  return { args: ['-c', `alias.wait=!sleep ${seconds}; :`, 'wait'], running };
}

describe('git of a handler that does not think of its caller', () => {
  const { args, running } = endless();
  const definition = { getCommit: CommitServiceService.getCommit };
  const asked = GetCommitRequest.fromPartial({});
  let server: RunningServer;
  let peer: ReturnType<typeof connect>;

  beforeAll(async () => {
    const handler = implement(definition, {
      getCommit: async () => {
        await runGit(undefined, args);
        throw new Error('it has come to its end');
      },
    });
    server = await startServer({
      services: runAsGitWork([handler]),
      trusted: identities.trusted,
      host: '127.0.0.1',
      port: 0,
    });
    peer = connect(`127.0.0.1:${server.port}`, identities.signer('gateway'));
  });
  afterAll(async () => {
    peer.close();
    await server.close(1_000);
  });

  it('ends when the call is cancelled', async () => {
    const gone = new AbortController();
    const actor = { ...anonymous, userId: 5 };
    const call = peer.client(definition).getCommit(asked, { requestId: 'r1', actor, signal: gone.signal });
    const cancelled = expect(call).rejects.toMatchObject({ kind: 'unavailable' });
    await eventually(() => expect([running(), admissions.call.running]).toEqual([true, 1]));
    gone.abort();
    await cancelled;
    await eventually(() => expect([running(), admissions.call.running]).toEqual([false, 0]));
  });

  it('ends when the deadline of the call passes', async () => {
    const call = peer.client(definition).getCommit(asked, { requestId: 'r2', timeoutMs: 2_000 });
    const late = expect(call).rejects.toMatchObject({ kind: 'unavailable' });
    await eventually(() => expect(running()).toBe(true));
    await late;
    await eventually(() => expect([running(), admissions.call.running]).toEqual([false, 0]));
  });
});

it('git of a forwarded request ends when its other side has gone', async () => {
  const { args, running } = endless();
  let failure: unknown;
  const server = createServer((_request, response) => {
    runRequestAsGitWork('transfer', 5, response, async () => {
      await (await startGit(undefined, args)).ended;
    }).catch((error) => {
      failure = error;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).on('error', () => undefined);
  await eventually(() => expect([running(), admissions.transfer.running]).toEqual([true, 1]));
  request.destroy();
  await eventually(() => expect([running(), admissions.transfer.running]).toEqual([false, 0]));
  expect(failure).toMatchObject({ kind: 'request_timeout' });
  server.close();
});
