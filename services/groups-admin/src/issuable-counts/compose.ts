import type { Area } from '@switchyard/service';
import type { Given } from '../config';
import { countIssuables } from './application/count-issuables';
import { issuableCounts } from './storage/issuable-count.store';
import { issuableCountSubscriptions } from './transport/issuable-count.subscription';

/** Issues and merge requests, as projects and labels count them. */
export function composeIssuableCounts({ observe }: Given): Area {
  const useCases = observe('issuable_counts', { countIssuables: countIssuables({ counts: issuableCounts }) });
  return {
    // Apart from pushes, so that neither waits for the other.
    consumers: [{ group: 'groups-admin.counts', subscriptions: issuableCountSubscriptions(useCases.countIssuables) }],
  };
}
