import { userReference } from '@switchyard/directory';
import type { TrainEvidence } from '../../merge-requests';
import { presentPipelineBasic } from '../../pipelines';
import { dateTime, optionalDateTime } from '../../repositories';
import type { Departure, MergeTrainView, TrainControl } from '../domain/merge-train-view';
import { presentMergeTrainEntry } from './merge-train.presenter';

/** How a view is rendered. */
export interface ViewRendering {
  readonly externalUrl: string;
  /** Path of the project, for the addresses of pipelines. */
  readonly fullPath: string;
}

const presentControl = (control: TrainControl, targetBranch: string, rendering: ViewRendering) => ({
  target_branch: targetBranch,
  state: control.state,
  reason: control.reason ?? null,
  until: optionalDateTime(control.until),
  updated_at: optionalDateTime(control.updatedAt),
  updated_by: control.updatedBy === undefined ? null : userReference(control.updatedBy, rendering.externalUrl),
  probe: control.probe === undefined ? null : presentPipelineBasic(control.probe, rendering),
});

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
  const rendering = { externalUrl, fullPath: view.projectPath };
  return {
    target_branch: view.targetBranch,
    control: presentControl(view.control, view.targetBranch, rendering),
    entries: view.entries.map((viewed) => {
      const entry = presentMergeTrainEntry(viewed, externalUrl);
      return { ...entry, merge_request: { ...entry.merge_request, description: null } };
    }),
    total: view.total,
    departures: view.departures.map(presentDeparture),
  };
}
