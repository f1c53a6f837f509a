import type { Verdict } from '../../merge-requests';
import type { Signal, Step, Train } from './merge-train';
import type { StoredTrain, TrainPipeline } from './stored-train';
import { transition } from './transition';
import { judge } from './verdict';

/** Milliseconds between a probe that failed and the next one. */
export const probeEveryMs = 15 * 60_000;
/** Milliseconds after which a train with cars is looked at again that nothing woke. */
const lookEveryMs = 10_000;

/**
 * When the time of a pipeline began: when it was opened, when its train went on after a pause, in which the outside CI may
 * have been away, or when one of its names was started again.
 */
const begunAt = ({ controlChangedAt }: Pick<StoredTrain, 'controlChangedAt'>, pipeline: TrainPipeline): number =>
  Math.max(pipeline.openedAt.getTime(), controlChangedAt?.getTime() ?? 0, pipeline.restartedAt?.getTime() ?? 0);

const lateAt = (stored: Pick<StoredTrain, 'controlChangedAt' | 'timeoutMinutes'>, pipeline: TrainPipeline): number =>
  begunAt(stored, pipeline) + stored.timeoutMinutes * 60_000;

const isLate = (
  stored: Pick<StoredTrain, 'controlChangedAt' | 'timeoutMinutes'>,
  pipeline: TrainPipeline,
  now: Date,
): boolean => lateAt(stored, pipeline) <= now.getTime();

/** What the pipelines of a train report, and what time alone brings about at `now`, as signals. */
export function newsOf(stored: StoredTrain, now: Date): Signal[] {
  const { train, pipelines, rule } = stored;
  const signals: Signal[] = [];
  if (train.state !== 'running' && stored.runsAgainAt !== undefined && stored.runsAgainAt <= now) {
    signals.push({ kind: 'controlled', state: 'running' });
  }
  for (const { id, outdated } of stored.cars.values()) if (outdated) signals.push({ kind: 'outdated', carId: id });
  const seen = new Set<number>();
  for (const { build } of train.cars) {
    const pipeline = build?.pipelineId === undefined ? undefined : pipelines.get(build.pipelineId);
    if (build === undefined || pipeline === undefined || seen.has(pipeline.id)) continue;
    seen.add(pipeline.id);
    const { verdict, failedNames } = judge(pipeline.reports, rule, now);
    if (verdict !== build.verdict) signals.push({ kind: 'reported', pipelineId: pipeline.id, verdict, failedNames });
    if (verdict === 'pending' && isLate(stored, pipeline, now)) {
      signals.push({ kind: 'timed_out', pipelineId: pipeline.id });
    }
  }
  return [...signals, ...newsOfProbe(stored, now), { kind: 'resumed' }];
}

/**
 * The verdict of a probe is not kept: one that has not passed is news when the next one is due, and once only. One that
 * was deleted is made again at once.
 */
function newsOfProbe({ train, pipelines, rule, ...stored }: StoredTrain, now: Date): Signal[] {
  const { probe } = train;
  if (probe === undefined) return [];
  const ended = (verdict: Verdict): Signal[] => [
    { kind: 'probe_reported', pipelineId: probe.pipelineId, verdict },
    { kind: 'probe_due' },
  ];
  const pipeline = probe.pipelineId === undefined ? undefined : pipelines.get(probe.pipelineId);
  if (pipeline === undefined) return ended('canceled');
  const { verdict } = judge(pipeline.reports, rule, now);
  if (verdict === 'green') return [{ kind: 'probe_reported', pipelineId: pipeline.id, verdict }];
  // Without cars nothing waits for the next one.
  const isOver = stored.cars.size > 0 && (verdict !== 'pending' || isLate(stored, pipeline, now));
  const since = (pipeline.finishedAt ?? pipeline.openedAt).getTime();
  return isOver && since + probeEveryMs <= now.getTime() ? ended(verdict === 'pending' ? 'late' : verdict) : [];
}

/** The train after its news. */
export interface TrainWork {
  readonly train: Train;
  readonly steps: readonly Step[];
}

/** What is to be done for a train at `now`. */
export function workOf(stored: StoredTrain, now: Date): TrainWork {
  let { train } = stored;
  for (const signal of newsOf(stored, now)) train = transition(train, signal).train;
  return { train, steps: transition(train, { kind: 'resumed' }).steps };
}

/**
 * When something falls due for a train that no event announces: a time-out, a pipeline that has settled, the end of a
 * pause, the next probe, a look at a train that nothing woke. Undefined for an empty train.
 */
export function nextDue(stored: StoredTrain, now: Date): Date | undefined {
  const { train, pipelines, rule } = stored;
  const times: number[] = [];
  if (stored.runsAgainAt !== undefined && train.state !== 'running') times.push(stored.runsAgainAt.getTime());
  if (train.cars.length > 0) times.push(now.getTime() + lookEveryMs);
  for (const pipeline of pipelines.values()) {
    const judgement = judge(pipeline.reports, rule, now);
    if (judgement.settlesAt !== undefined) times.push(judgement.settlesAt.getTime());
    if (judgement.verdict === 'pending') times.push(lateAt(stored, pipeline));
  }
  const probe = train.probe?.pipelineId === undefined ? undefined : pipelines.get(train.probe.pipelineId);
  if (probe !== undefined) times.push((probe.finishedAt ?? probe.openedAt).getTime() + probeEveryMs);
  const future = times.filter((time) => time > now.getTime());
  return future.length === 0 ? undefined : new Date(Math.min(...future));
}
