import { badRequest } from '@switchyard/errors';
import {
  type ApplySuggestedChangesRequest,
  SuggestedChangeServiceService,
} from '@switchyard/protos/merge_requests/v1/suggested_change';
import { implement, type ServiceImplementation } from '@switchyard/rpc';

/** What the stand-in for the owner of the repositories is told, and what reached it. */
export interface SuggestedChangesState {
  /** Commits that were asked for, with the user who asked. */
  readonly applied: (ApplySuggestedChangesRequest & { userId: number })[];
  /** Calls that read lines. */
  reads: number;
  /** Refuses every commit. */
  refused: boolean;
}

/** The commit of every request. */
export const suggestionCommit = 'f'.repeat(40);

/** Stands in for the owner of the repositories: every file has ten lines, but `binary` has none. */
export function suggestedChangeService(state: SuggestedChangesState): ServiceImplementation {
  const rule = { callers: ['collaboration'], onBehalfOf: true };
  return implement(
    SuggestedChangeServiceService,
    {
      readSuggestedLines: async ({ suggested }) => {
        state.reads += 1;
        return {
          found: suggested.map(({ position, linesAbove, linesBelow }) => {
            const line = position?.newLine ?? 0;
            if (position?.newPath === 'binary' || line < 1 || line > 10)
              return { content: undefined, linesAbove: 0, linesBelow: 0 };
            const above = Math.min(linesAbove, line - 1);
            const below = Math.min(linesBelow, 10 - line);
            const lines = Array.from({ length: above + 1 + below }, (_, at) => `line ${line - above + at}\n`);
            return { content: lines.join(''), linesAbove: above, linesBelow: below };
          }),
        };
      },
      applySuggestedChanges: async (request, { actor }) => {
        if (state.refused) throw badRequest('The lines have changed.');
        state.applied.push({ ...request, userId: actor.userId });
        return { commitSha: suggestionCommit };
      },
    },
    { readSuggestedLines: rule, applySuggestedChanges: rule },
  );
}
