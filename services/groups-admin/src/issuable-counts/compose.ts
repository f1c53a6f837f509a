import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { countIssuables } from './application/count-issuables';
import { issuableCounts } from './storage/issuable-count.store';
import { issuableCountSubscriptions } from './transport/issuable-count.subscription';

/** Issues and merge requests, as projects and labels count them. */
export function composeIssuableCounts({ observe }: Edges): Area {
  const useCases = observe('issuable_counts', { countIssuables: countIssuables({ counts: issuableCounts }) });
  return {
    // Apart from pushes, so that neither waits for the other.
    consumers: [{ group: 'groups-admin.counts', subscriptions: issuableCountSubscriptions(useCases.countIssuables) }],
  };
}
