import { randomUUID } from 'node:crypto';
import { keyFinder } from '@switchyard/patterns';
import { IntegrationServiceService, type Tracker } from '@switchyard/protos/groups_admin/v1/integration';
import type { Peer } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { trackerLinks } from '@switchyard/texts';

type FindLinks = NonNullable<ReturnType<typeof trackerLinks>>;

/** What finds the issues of trackers outside in texts, by project; a project without such a tracker is missing. */
export type TrackerLinks = (projectIds: readonly number[]) => Promise<ReadonlyMap<number, FindLinks>>;

/** What finds the issues of a tracker; undefined where texts cannot name them. */
function linksTo(tracker: Omit<Tracker, 'projectId'>): FindLinks | undefined {
  const { keyExpression: expression, keyPrefix: prefix, issuesUrl } = tracker;
  if (expression === '' && prefix === '') return trackerLinks(tracker);
  try {
    const find = keyFinder({ expression, prefix });
    return (text) =>
      find(text).map(({ key, start, end }) => ({
        start,
        end,
        url: issuesUrl.replaceAll(':id', () => encodeURIComponent(key)),
      }));
  } catch (error) {
    // It was accepted by other bounds than those of now.
    logger.warn({ err: error }, 'the expression of a tracker cannot be used');
    return undefined;
  }
}

/**
 * Asks the owner of integrations for the trackers of at most 100 projects: one call. While it does not answer, texts
 * have no such links.
 */
export function trackerLinksOf(groupsAdmin: Peer): TrackerLinks {
  const client = groupsAdmin.client(IntegrationServiceService);
  return async (projectIds) => {
    if (projectIds.length === 0) return new Map();
    try {
      const { trackers } = await client.listTrackers(
        { projectIds: [...new Set(projectIds)] },
        { requestId: randomUUID(), idempotent: true },
      );
      return new Map(
        trackers.flatMap((tracker) => {
          const find = linksTo(tracker);
          return find === undefined ? [] : [[tracker.projectId, find] as const];
        }),
      );
    } catch (error) {
      logger.warn({ err: error }, 'texts are rendered without links to the issues of trackers');
      return new Map();
    }
  };
}
