import {
  SuggestedChangeServiceService,
  type SuggestedLines as SuggestedLinesMessage,
} from '@switchyard/protos/merge_requests/v1/suggested_change';
import { implement } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { applySuggestedChanges, readSuggestedLines, SuggestedLines } from '../application/suggested-changes';
import { nowhere } from './diff-position.handler';

/** Use cases behind the service. */
export interface SuggestedChangeUseCases {
  readonly readSuggestedLines: ReturnType<typeof readSuggestedLines>;
  readonly applySuggestedChanges: ReturnType<typeof applySuggestedChanges>;
}

const linesOf = (lines: SuggestedLinesMessage | undefined): SuggestedLines => ({
  position: lines?.position ?? nowhere,
  linesAbove: lines?.linesAbove ?? 0,
  linesBelow: lines?.linesBelow ?? 0,
});

/** gRPC side of suggested changes. */
export const suggestedChangeHandler = (changes: SuggestedChangeUseCases) =>
  implement(
    SuggestedChangeServiceService,
    {
      readSuggestedLines: async ({ projectId, suggested }) => {
        const found = await changes.readSuggestedLines(projectId, suggested.map(linesOf));
        return {
          found: found.map((lines) => ({
            content: lines?.content,
            linesAbove: lines?.linesAbove ?? 0,
            linesBelow: lines?.linesBelow ?? 0,
          })),
        };
      },
      applySuggestedChanges: async ({ projectId, mergeRequestId, changes: wanted, commitMessage }, context) => {
        const commitSha = await changes.applySuggestedChanges(
          callerOf(context),
          { projectId, mergeRequestId },
          wanted.map(({ lines, ...change }) => ({ ...linesOf(lines), ...change })),
          commitMessage,
        );
        return { commitSha };
      },
    },
    {
      readSuggestedLines: { callers: ['collaboration'] },
      applySuggestedChanges: { callers: ['collaboration'], onBehalfOf: true },
    },
  );
