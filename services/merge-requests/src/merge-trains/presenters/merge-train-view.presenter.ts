import type { TrainEvidence } from '../../merge-requests';
import { dateTime } from '../../repositories';
import type { Departure, MergeTrainView } from '../domain/merge-train-view';
import { presentMergeTrainEntry } from './merge-train.presenter';
import { presentTrainState } from './merge-train-control.presenter';

/** What shows that a car itself failed (D8). */
const presentEvidence = ({ testedSha, baseSha, pipelineId, statuses, reruns }: TrainEvidence) => ({
  tested_sha: testedSha ?? null,
  base_sha: baseSha,
  pipeline: pipelineId === undefined ? null : { id: pipelineId },
  statuses: statuses.map(({ name, targetUrl }) => ({ name, target_url: targetUrl ?? null })),
  reruns,
});

const presentDeparture = ({ mergeRequestIid, title, reason, at, sha, evidence }: Departure) => ({
  merge_request_iid: mergeRequestIid,
  title,
  reason,
  at: dateTime(at),
  sha: sha ?? null,
  evidence: evidence === undefined ? null : presentEvidence(evidence),
});

/**
 * A train as it stands: what its watchers are sent. Descriptions are left out: two hundred may have 200 MB, and none is
 * shown.
 */
export function presentMergeTrainView(view: MergeTrainView, externalUrl: string) {
  return {
    target_branch: view.targetBranch,
    control: presentTrainState(view.control, externalUrl),
    entries: view.entries.map((viewed) => {
      const entry = presentMergeTrainEntry(viewed, externalUrl);
      return { ...entry, merge_request: { ...entry.merge_request, description: null } };
    }),
    total: view.total,
    departures: view.departures.map(presentDeparture),
  };
}
