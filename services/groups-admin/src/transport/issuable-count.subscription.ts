import type { Tx } from '@switchyard/database';
import { type AnySubscription, issueEvents, mergeRequestEvents, subscription } from '@switchyard/events';
import type { CountedIssuable } from '../storage/issuable-count.store';

/** States at the owner that count as open; one that is being merged is not merged yet. */
const open = new Set(['opened', 'locked']);

const stateOf = (state: string, fact: string): CountedIssuable['state'] =>
  fact === 'deleted' ? 'gone' : open.has(state) ? 'opened' : 'closed';

/** Issues and merge requests are counted on their projects and labels as their owners tell of them, each event once (D4, D6). */
export const issuableCountSubscriptions = (
  count: (tx: Tx, issuable: CountedIssuable) => Promise<void>,
): AnySubscription[] => [
  subscription({
    event: issueEvents,
    async handle({ issue, fact }, tx) {
      if (issue === undefined || fact === undefined) return;
      const { id, projectId, version, confidential, labelIds } = issue;
      const state = stateOf(issue.state, fact.$case);
      await count(tx, { kind: 'issue', id, projectId, version, state, confidential, labelIds });
    },
  }),
  subscription({
    event: mergeRequestEvents,
    async handle({ mergeRequest, fact }, tx) {
      if (mergeRequest === undefined || fact === undefined) return;
      const { id, projectId, version, labelIds } = mergeRequest;
      const state = stateOf(mergeRequest.state, fact.$case);
      await count(tx, { kind: 'merge_request', id, projectId, version, state, confidential: false, labelIds });
    },
  }),
];
