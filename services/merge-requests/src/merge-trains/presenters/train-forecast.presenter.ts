import { dateTime, optionalDateTime } from '../../repositories';
import type { TrainForecast } from '../domain/train-forecast';

/** When the entries of a train are expected to land (D8). */
export const presentTrainForecast = ({ targetBranch, knownRuns, reason, generatedAt, entries }: TrainForecast) => ({
  target_branch: targetBranch,
  known_runs: knownRuns,
  reason: reason ?? null,
  generated_at: dateTime(generatedAt),
  entries: entries.map(({ id, mergeRequestIid, position, expectedAt, expectedBy }) => ({
    id,
    merge_request_iid: mergeRequestIid,
    position,
    expected_at: optionalDateTime(expectedAt),
    expected_by: optionalDateTime(expectedBy),
  })),
});
