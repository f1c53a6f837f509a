import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { levels } from '@switchyard/rights';
import type { Peer } from '@switchyard/rpc';
import type { Directory } from './directory';

/** Labels of a project or group by title; missing ones are created if the caller may, else left out. */
export type EnsureLabels = (
  caller: { readonly requestId: string; readonly level: number },
  parentId: number,
  titles: readonly string[],
) => Promise<{ id: number; title: string }[]>;

/**
 * Requests labels from their owner; the local directory knows them when the reply is there. Blank titles are dropped.
 * @param of what the ids of parents name
 */
export function labelsOf(
  groupsAdmin: Peer,
  directory: Pick<Directory, 'ensure' | 'sequence'>,
  of: 'project' | 'group' = 'project',
): EnsureLabels {
  const client = groupsAdmin.client(LabelServiceService);
  return async (caller, parentId, titles) => {
    const normalized = titles.map((title) => title.trim().normalize()).filter((title) => title !== '');
    if (normalized.length === 0) return [];
    const parent = of === 'project' ? { projectId: parentId, groupId: 0 } : { projectId: 0, groupId: parentId };
    const { labels, directorySequence } = await client.ensureLabels(
      { ...parent, titles: normalized, create: caller.level >= levels.reporter },
      { requestId: caller.requestId, directorySequence: directory.sequence(), idempotent: true },
    );
    await directory.ensure(directorySequence);
    return labels;
  };
}
