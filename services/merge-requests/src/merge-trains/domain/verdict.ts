import type { Verdict } from '../../merge-requests';

/** The newest report of one name of a car's pipeline. */
export interface NamedStatus {
  readonly name: string;
  readonly status: string;
  readonly allowFailure: boolean;
}

/** When a project takes a pipeline for green. */
export interface GreenRule {
  /** Names that decide alone; empty: every name decides. */
  readonly required: readonly string[];
  /** Without required names: how many names there must be; 0: any number that has settled. */
  readonly count: number;
  /** Without either: seconds for which no new name has come. */
  readonly settlingSeconds: number;
  /** A skipped name or pipeline counts as one that succeeded. */
  readonly skippedCounts: boolean;
}

/** What a pipeline reports. */
export interface PipelineReports {
  readonly status: string;
  readonly names: readonly NamedStatus[];
  /** When its newest name came; undefined without names. */
  readonly newestAt: Date | undefined;
}

/** What a pipeline's reports mean for the car. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The names that failed. */
  readonly failedNames: readonly string[];
  /** Required names that have not succeeded yet. */
  readonly missing: readonly string[];
  /** From then on it is green, if no new name comes. */
  readonly settlesAt?: Date;
}

/** Names that are kept of a failure: a pipeline may have thousands. */
const mostFailedNames = 100;

const failedIn = (names: readonly NamedStatus[], skippedCounts: boolean): string[] =>
  names
    .filter(
      ({ status, allowFailure }) => (status === 'failed' && !allowFailure) || (status === 'skipped' && !skippedCounts),
    )
    .map(({ name }) => name)
    .sort()
    .slice(0, mostFailedNames);

function byRequiredNames({ status, names }: PipelineReports, { required, skippedCounts }: GreenRule): Judgement {
  const verdicts = required.map((name): Verdict => {
    const found = names.find((one) => one.name === name);
    if (found === undefined) return status === 'canceled' ? 'canceled' : 'pending';
    if (found.status === 'success' || (found.status === 'failed' && found.allowFailure)) return 'green';
    if (found.status === 'skipped') return skippedCounts ? 'green' : 'failed';
    return found.status === 'failed' || found.status === 'canceled' ? found.status : 'pending';
  });
  const verdict = (['failed', 'canceled', 'pending'] as const).find((one) => verdicts.includes(one)) ?? 'green';
  return {
    verdict,
    failedNames: failedIn(
      names.filter(({ name }) => required.includes(name)),
      skippedCounts,
    ),
    missing: required.filter((_, at) => verdicts[at] === 'pending'),
  };
}

/**
 * The verdict of a car's pipeline (D8). With names that the project requires, those decide alone: all of them have
 * succeeded, or one of them has failed. Without, every name decides, as in the pipeline's own status; and because the
 * first name to come may be green long before the second one appears, the project says how many there must be, or for
 * how long none may have come.
 */
export function judge(reports: PipelineReports, rule: GreenRule, now: Date): Judgement {
  if (rule.required.length > 0) return byRequiredNames(reports, rule);
  const { status, names, newestAt } = reports;
  // A skipped name beside others does not fail a pipeline, so it is not what failed.
  const failedNames = failedIn(names, status !== 'skipped' || rule.skippedCounts);
  if (status === 'canceled') return { verdict: 'canceled', failedNames: [], missing: [] };
  if (status === 'failed' || (status === 'skipped' && !rule.skippedCounts)) {
    return { verdict: 'failed', failedNames, missing: [] };
  }
  if (status !== 'success' && status !== 'skipped') return { verdict: 'pending', failedNames: [], missing: [] };
  if (rule.count > 0) {
    return { verdict: names.length >= rule.count ? 'green' : 'pending', failedNames: [], missing: [] };
  }
  const settlesAt = new Date((newestAt?.getTime() ?? 0) + rule.settlingSeconds * 1_000);
  return settlesAt <= now
    ? { verdict: 'green', failedNames: [], missing: [] }
    : { verdict: 'pending', failedNames: [], missing: [], settlesAt };
}
