import { randomUUID } from 'node:crypto';
import {
  type DiffPosition as DiffPositionMessage,
  DiffPositionServiceService,
} from '@switchyard/protos/merge_requests/v1/diff_position';
import type { Peer } from '@switchyard/rpc';
import type { DiffPositions } from '../application/diff-positions';
import type { NotePosition } from '../domain/note-position';

/** A position as messages have it. */
export const toPositionMessage = (position: NotePosition): DiffPositionMessage => ({
  baseSha: position.baseSha,
  startSha: position.startSha,
  headSha: position.headSha,
  oldPath: position.oldPath,
  newPath: position.newPath,
  oldLine: position.oldLine,
  newLine: position.newLine,
});

/** Asks merge-requests about places in its repositories, as the service itself: rights have been looked at. */
export function diffPositions(peer: Peer): DiffPositions {
  const client = peer.client(DiffPositionServiceService);
  const options = () => ({ requestId: randomUUID(), idempotent: true });
  return {
    async check(projectId, position) {
      const { valid } = await client.checkDiffPosition({ projectId, position: toPositionMessage(position) }, options());
      return valid;
    },
    async codeLines(projectId, position) {
      const { valid, codeOldLine, codeNewLine } = await client.checkDiffPosition(
        { projectId, position: toPositionMessage(position) },
        options(),
      );
      if (!valid) return undefined;
      return codeOldLine === undefined || codeNewLine === undefined
        ? null
        : { oldLine: codeOldLine, newLine: codeNewLine };
    },
    async move(projectId, mergeRequestId, positions) {
      const { positions: moved } = await client.moveDiffPositions(
        { projectId, mergeRequestId, positions: positions.map(toPositionMessage) },
        options(),
      );
      return positions.map((position, at) => {
        const now = moved[at]?.position;
        return now && { ...position, ...now };
      });
    },
  };
}
