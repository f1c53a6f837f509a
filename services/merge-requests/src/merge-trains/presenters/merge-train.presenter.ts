import { fullPath, userReference } from '@switchyard/directory';
import { presentSimpleMergeRequest } from '../../merge-requests';
import { presentPipelineBasic } from '../../pipelines';
import { dateTime, optionalDateTime } from '../../repositories';
import type { MergeTrainEntry } from '../domain/merge-train-entry';
import type { QueuePlace } from '../domain/queue-place';

/** An entry of a merge train (api.md section 2, G-2-3). */
export const presentMergeTrainEntry = (entry: MergeTrainEntry, externalUrl: string) => ({
  id: entry.id,
  merge_request: presentSimpleMergeRequest(entry, externalUrl),
  user: entry.user === undefined ? null : userReference(entry.user, externalUrl),
  pipeline:
    entry.pipeline === undefined
      ? null
      : presentPipelineBasic(entry.pipeline, { externalUrl, fullPath: fullPath(entry.project) }),
  created_at: dateTime(entry.createdAt),
  updated_at: dateTime(entry.updatedAt),
  target_branch: entry.targetBranch,
  status: entry.status,
  merged_at: optionalDateTime(entry.mergedAt),
  duration: entry.duration ?? null,
  ...presentPlace(entry.place),
});

const presentPlace = (place: QueuePlace | undefined) => ({
  position: place?.position ?? null,
  failing: place?.failing ?? false,
  batch:
    place?.batch === undefined
      ? null
      : {
          id: place.batch.id,
          size: place.batch.mergeRequestIids.length,
          merge_request_iids: place.batch.mergeRequestIids,
        },
  expected_at: optionalDateTime(place?.expectedAt),
  waiting_for: place?.waitingFor ?? null,
  tested_sha: place?.testedSha ?? null,
  sha: place?.sha ?? null,
});
