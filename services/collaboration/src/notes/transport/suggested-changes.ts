import { randomUUID } from 'node:crypto';
import { SuggestedChangeServiceService } from '@switchyard/protos/merge_requests/v1/suggested_change';
import type { Peer } from '@switchyard/rpc';
import type { LinesAround, SuggestedChanges } from '../application/suggestion.ports';
import { toPositionMessage } from './diff-positions';

const toLines = ({ position, linesAbove, linesBelow }: LinesAround) => ({
  position: toPositionMessage(position),
  linesAbove,
  linesBelow,
});

/** Asks merge-requests for lines, as the service itself, and for commits, in the name of the user. */
export function suggestedChanges(peer: Peer, directorySequence: () => number): SuggestedChanges {
  const client = peer.client(SuggestedChangeServiceService);
  return {
    async read(projectId, places) {
      const { found } = await client.readSuggestedLines(
        { projectId, suggested: places.map(toLines) },
        { requestId: randomUUID(), idempotent: true },
      );
      return places.map((_, at) => {
        const { content, linesAbove = 0, linesBelow = 0 } = found[at] ?? {};
        return content === undefined ? undefined : { fromContent: content, linesAbove, linesBelow };
      });
    },
    async apply({ actor, access, requestId }, { projectId, targetId }, suggestions, commitMessage) {
      const { commitSha } = await client.applySuggestedChanges(
        {
          projectId,
          mergeRequestId: targetId,
          changes: suggestions.map(({ id, fromContent, toContent, authorId, ...lines }) => ({
            suggestionId: id,
            lines: toLines(lines),
            fromContent,
            toContent,
            authorId,
          })),
          commitMessage,
        },
        { requestId, actor, access, directorySequence: directorySequence() },
      );
      return commitSha;
    },
  };
}
