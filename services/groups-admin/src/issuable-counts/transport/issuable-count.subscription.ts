import { type AnySubscription, issueEvents, mergeRequestEvents, subscription } from '@switchyard/events';
import type { countIssuables } from '../application/count-issuables';

/**
 * Issues and merge requests are counted on their projects and labels, each event once (D4, D6). Events without a fact
 * carry the state and count as well; those of older publishers, which carry no state, count nothing.
 */
export const issuableCountSubscriptions = (count: ReturnType<typeof countIssuables>): AnySubscription[] => [
  subscription({
    event: issueEvents,
    async handle({ issue, fact }, tx) {
      if (issue === undefined) return;
      const { id, projectId, version, state, confidential, labelIds } = issue;
      const deleted = fact?.$case === 'deleted';
      if (state === '' && !deleted) return;
      await count(tx, { kind: 'issue', id, projectId, version, state, deleted, confidential, labelIds });
    },
  }),
  subscription({
    event: mergeRequestEvents,
    async handle({ mergeRequest, fact }, tx) {
      if (mergeRequest === undefined) return;
      const { id, projectId, version, state, labelIds } = mergeRequest;
      const deleted = fact?.$case === 'deleted';
      if (state === '' && !deleted) return;
      await count(tx, { kind: 'merge_request', id, projectId, version, state, deleted, confidential: false, labelIds });
    },
  }),
];
