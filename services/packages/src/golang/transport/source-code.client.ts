import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import { anonymous, type CallOptions, type Peer } from '@switchyard/rpc';
import type { OpenSourceCode } from '../application/source-code';

/** Milliseconds of one question, and of a module that goes to a slow client. */
const questionMs = 60_000;
const transferMs = 1_800_000;

/**
 * Asks merge-requests for source code, as work of the reader.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function sourceCodeOf(mergeRequests: Peer, directorySequence: () => number): OpenSourceCode {
  const client = mergeRequests.client(SourceCodeServiceService);
  return (projectId, { userId, requestId }) => {
    const options = (timeoutMs: number): CallOptions => ({
      requestId,
      actor: { ...anonymous, userId },
      directorySequence: directorySequence(),
      timeoutMs,
      idempotent: true,
    });
    return {
      async tags(prefix, reachableFrom = '') {
        const { tags } = await client.listSourceTags({ projectId, prefix, reachableFrom }, options(questionMs));
        return tags;
      },
      async commit(revision) {
        const found = await client.findSourceCommit({ projectId, revision }, options(questionMs));
        return { sha: found.commitSha, committedAt: found.committedAt ?? new Date(0) };
      },
      async files(places, mostBytes) {
        const { files } = await client.readSourceFiles(
          { projectId, places: [...places], mostBytes },
          options(questionMs),
        );
        return files.map(({ size, content, sha }) => ({ size, content, sha }));
      },
      async *tree(commitSha, path) {
        const found = client.listSourceTree({ projectId, commitSha, path }, options(questionMs));
        for await (const { entries } of found) yield entries;
      },
      blobs: (shas, signal) =>
        client.streamSourceBlobs({ projectId, shas: [...shas] }, { ...options(transferMs), signal }),
    };
  };
}
