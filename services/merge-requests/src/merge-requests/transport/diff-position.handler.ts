import {
  type DiffPosition as DiffPositionMessage,
  DiffPositionServiceService,
} from '@switchyard/protos/merge_requests/v1/diff_position';
import { implement } from '@switchyard/rpc';
import type { DiffPositions } from '../application/diff-positions';

const caller = { callers: ['collaboration'] };

/** A place that is none. */
export const nowhere: DiffPositionMessage = {
  baseSha: '',
  startSha: '',
  headSha: '',
  oldPath: '',
  newPath: '',
  oldLine: undefined,
  newLine: undefined,
};

/** gRPC side of places in diffs. */
export const diffPositionHandler = (positions: DiffPositions) =>
  implement(
    DiffPositionServiceService,
    {
      checkDiffPosition: async ({ projectId, position }) => {
        const { valid, code } = await positions.check(projectId, position ?? nowhere);
        return { valid, codeOldLine: code?.oldLine, codeNewLine: code?.newLine };
      },
      moveDiffPositions: async ({ projectId, mergeRequestId, positions: asked }) => {
        const moved = await positions.move(projectId, mergeRequestId, asked);
        return {
          positions: moved.map((position) => ({ position })),
        };
      },
      describeCommit: ({ projectId, revision }) => positions.describe(projectId, revision),
    },
    { checkDiffPosition: caller, moveDiffPositions: caller, describeCommit: caller },
  );
