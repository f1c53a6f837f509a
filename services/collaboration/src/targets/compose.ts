import { namespacesByIds, projectsByIds } from '@switchyard/directory';
import { AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import { MergeRequestTargetServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_target';
import type { Edges } from '../edges';
import { noteableStore } from '../noteables';
import type { TargetOwners } from './application/targets';
import { commitTargets } from './transport/commit-targets';
import { placeTargets } from './transport/place-targets';
import { targetOwner } from './transport/target-owner';

/** Targets that other services own; projects and groups are read from the directory. */
export type ForeignTargets = Omit<TargetOwners, 'Issue' | 'Epic'>;

/** Builds the owners of the targets that lie in other services. */
export function composeTargets({
  config,
  db,
  directory,
  peer,
}: Pick<Edges, 'config' | 'db' | 'directory' | 'peer'>): ForeignTargets {
  const mergeRequests = peer('merge-requests');
  return {
    MergeRequest: targetOwner(mergeRequests.client(MergeRequestTargetServiceService), directory.sequence),
    Commit: commitTargets(mergeRequests, directory.sequence, (ids) => noteableStore.commits(db, ids)),
    'AlertManagement::Alert': targetOwner(peer('alerts').client(AlertTargetServiceService), directory.sequence),
    ...placeTargets(
      { projects: (ids) => projectsByIds(db, ids), groups: (ids) => namespacesByIds(db, ids) },
      config.SWITCHYARD_EXTERNAL_URL,
    ),
  };
}
