import { pipeline } from 'node:stream/promises';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import { answersUnchanged, cacheHeaders, runRequestAsGitWork } from '../../repositories';
import type { readRawDiffOf } from '../application/read-merge-request';

/** The diff of a merge request as `git diff` prints it, streamed on the internal HTTP port. */
export const rawDiffEndpoint = (read: ReturnType<typeof readRawDiffOf>): ForwardedEndpoint => {
  async function send(call: ForwardedCall): Promise<void> {
    const { request, response, projectId, parts } = call;
    const { version, open } = await read({ projectId, iid: Number(parts[0]) });
    const head = {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      ...cacheHeaders(['raw diff', version]),
    };
    if (answersUnchanged(call, head)) return;
    response.writeHead(200, head);
    const diff = request.method === 'HEAD' ? undefined : await open();
    if (diff === undefined) response.end();
    else await pipeline(diff, response);
  }
  return {
    methods: ['GET', 'HEAD'],
    path: /^\/projects\/(\d{1,15})\/merge_requests\/(\d{1,15})\/raw_diffs$/,
    run: (call) => runRequestAsGitWork('transfer', call.claims.actor?.userId ?? 0, call.response, () => send(call)),
  };
};
