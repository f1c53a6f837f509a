import { fullPath, type UserRow, userReference } from '@switchyard/directory';
import { presentPipelineBasic } from '../../pipelines';
import { dateTime, optionalDateTime } from '../../repositories';
import type { TrainControl, TrainControlView } from '../domain/train-control';

const presentControl = ({ state, reason, until }: TrainControl) => ({
  state,
  reason: reason ?? null,
  until: optionalDateTime(until),
});

const presentUser = (user: UserRow | undefined, externalUrl: string) =>
  user === undefined ? null : userReference(user, externalUrl);

/** What a train does, without the history of it. */
export const presentTrainState = (view: Omit<TrainControlView, 'changes'>, externalUrl: string) => ({
  target_branch: view.targetBranch,
  ...presentControl(view.control),
  updated_at: optionalDateTime(view.updatedAt),
  updated_by: presentUser(view.updatedBy, externalUrl),
  probe:
    view.probe === undefined
      ? null
      : presentPipelineBasic(view.probe, { externalUrl, fullPath: fullPath(view.project) }),
});

/** What a train does, who decided it, and the newest decisions about it (D8). */
export const presentMergeTrainControl = (view: TrainControlView, externalUrl: string) => ({
  ...presentTrainState(view, externalUrl),
  changes: view.changes.map((change) => ({
    ...presentControl(change),
    user: presentUser(change.user, externalUrl),
    created_at: dateTime(change.createdAt),
  })),
});
