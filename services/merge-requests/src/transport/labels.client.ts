import type { Directory } from '@switchyard/directory';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import type { Peer } from '@switchyard/rpc';
import type { EnsureLabels } from '../application/merge-request.edges';

/** Least level that makes labels (G-4.2-5). */
const reporter = 20;

/** Labels by title from their owner, made there when the caller may; the local directory knows them when this returns. */
export function labelsOf(groupsAdmin: Peer, directory: Pick<Directory, 'ensure' | 'sequence'>): EnsureLabels {
  const client = groupsAdmin.client(LabelServiceService);
  return async (caller, projectId, titles) => {
    const wanted = titles.map((title) => title.trim()).filter((title) => title !== '');
    if (wanted.length === 0) return [];
    const { labels, directorySequence } = await client.ensureLabels(
      { projectId, titles: wanted, create: caller.level >= reporter },
      { requestId: caller.requestId, directorySequence: directory.sequence(), idempotent: true },
    );
    await directory.ensure(directorySequence);
    return labels;
  };
}
