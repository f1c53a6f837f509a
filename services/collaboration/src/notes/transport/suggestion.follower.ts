import type { MergeRequestFollower } from '../../merge-requests';
import type { followAppliedSuggestions } from '../application/suggestions';

/** Suggestions whose commit is there are applied, also when the request that made it was cut off. */
export const suggestionFollower =
  (follow: ReturnType<typeof followAppliedSuggestions>): MergeRequestFollower =>
  async (tx, { mergeRequest, fact, actorId }) => {
    if (mergeRequest === undefined || fact?.$case !== 'suggestionsApplied') return;
    const { suggestionIds, commitSha } = fact.value;
    const noteable = {
      kind: 'MergeRequest',
      projectId: mergeRequest.projectId,
      targetId: mergeRequest.id,
      iid: mergeRequest.iid,
      sha: '',
      authorId: mergeRequest.authorId,
      assigneeIds: [],
      title: mergeRequest.title,
      webUrl: '',
      state: mergeRequest.state,
      confidential: false,
      locked: false,
    } as const;
    await follow(tx, noteable, { ids: suggestionIds, commitSha, actorId });
  };
