import type { Tx } from '@switchyard/database';
import { named as prepared, sql } from '@switchyard/database/sql';
import type { TrainEvidence, Verdict } from '../../merge-requests';
import type { TrainEvent } from '../domain/merge-train';
import { boundedName, type Counted, type Measure, measuresOf, mostNames } from '../domain/train-measures';

/** A pipeline that a train has opened. */
export interface OpenedRun {
  readonly pipelineId: number;
  readonly sha: string;
  /** Cars that it tests. */
  readonly cars: number;
  /** It tests a commit that has failed before. */
  readonly rerun: boolean;
  /** It tests the target branch itself. */
  readonly probe: boolean;
}

/** What is kept of a car that lands or is removed. */
export interface DepartingCar {
  readonly mergeRequestId: number;
  readonly iid: number;
  /** When it was added to the train. */
  readonly createdAt: Date;
  /** What landed, or what was tested last. */
  readonly sha: string | undefined;
  /** What it failed on, where it was blamed. */
  readonly evidence?: TrainEvidence | undefined;
}

/** What happened to a train in a transaction. */
export interface TrainHappenings {
  readonly events: readonly TrainEvent[];
  /** Pipelines that were opened in this transaction. */
  readonly opened: readonly OpenedRun[];
  /** The cars that the events remove or land. */
  readonly cars: ReadonlyMap<number, DepartingCar>;
  /** The user who did it; 0 for no user. */
  readonly actorId: number;
  readonly now: Date;
}

/** Status names of one measure that a train counts by name in a day; all others count together. */
const namesPerDay = 500;
/** Measures whose names come from outside. */
const named: readonly Measure[] = ['failures', 'flakes'];

/** Keeps which pipelines were opened. */
async function openRuns(tx: Tx, trainId: number, opened: readonly OpenedRun[], now: Date): Promise<void> {
  if (opened.length === 0) return;
  await tx.query(
    prepared(
      'open_train_runs',
      sql`
    insert into merge_train_runs (train_id, pipeline_id, sha, cars, rerun, opened_at)
    select ${trainId}, pipeline_id, sha, cars, rerun, ${now}
    from unnest(${opened.map(({ pipelineId }) => pipelineId)}::bigint[], ${opened.map(({ sha }) => sha)}::text[],
      ${opened.map(({ cars, probe }) => (probe ? 0 : cars))}::int[], ${opened.map(({ rerun }) => rerun)}::boolean[])
      as given (pipeline_id, sha, cars, rerun)
    on conflict (pipeline_id) do nothing`,
    ),
  );
}

/**
 * Ends the runs of pipelines that were judged. A run ends once: what is reported of its pipeline later changes neither
 * its duration nor its verdict.
 * @returns the verdicts that were known before
 */
async function finishRuns(tx: Tx, events: readonly TrainEvent[], now: Date): Promise<Map<number, Verdict>> {
  const judged = new Map<number, Verdict>();
  for (const event of events) {
    if (event.kind === 'judged' && !judged.has(event.pipelineId)) judged.set(event.pipelineId, event.verdict);
  }
  if (judged.size === 0) return new Map();
  // The outer query reads the rows as they were before the update.
  const rows = await tx.query<{ pipelineId: number; verdict: Verdict }>(
    prepared(
      'finish_train_runs',
      sql`
    with given as (
      select * from unnest(${[...judged.keys()]}::bigint[], ${[...judged.values()]}::text[]) as given (pipeline_id, verdict)),
    finished as (
      update merge_train_runs r set finished_at = ${now}, verdict = given.verdict
      from given where r.pipeline_id = given.pipeline_id and r.finished_at is null)
    select r.pipeline_id as "pipelineId", r.verdict from merge_train_runs r join given using (pipeline_id)
    where r.verdict is not null`,
    ),
  );
  return new Map(rows.map(({ pipelineId, verdict }) => [pipelineId, verdict]));
}

const keptEvidence = (evidence: TrainEvidence | undefined): string | null =>
  evidence === undefined
    ? null
    : JSON.stringify({
        ...evidence,
        statuses: evidence.statuses
          .slice(0, mostNames)
          .map(({ name, targetUrl }) => ({ name: boundedName(name), targetUrl })),
      });

interface Departure extends DepartingCar {
  readonly carId: number;
  readonly reason: string;
  readonly userId: number | null;
}

function departureOf(event: TrainEvent, { cars, actorId }: TrainHappenings): Departure | undefined {
  if (event.kind !== 'removed' && event.kind !== 'merged') return undefined;
  const { carId } = event;
  const car = cars.get(carId);
  if (car === undefined) return undefined;
  return event.kind === 'merged'
    ? { ...car, carId, reason: 'merged', sha: event.sha, evidence: undefined, userId: null }
    : { ...car, carId, reason: event.reason, userId: actorId === 0 ? null : actorId };
}

/** Keeps departures, landings included. */
async function recordDepartures(tx: Tx, trainId: number, happened: TrainHappenings): Promise<void> {
  const left = happened.events.flatMap((event) => departureOf(event, happened) ?? []);
  if (left.length === 0) return;
  // The title is what it was then; the merge request may be deleted in this very transaction.
  await tx.query(
    prepared(
      'record_train_departures',
      sql`
    insert into merge_train_departures (train_id, car_id, merge_request_id, merge_request_iid, title, reason, sha, evidence, user_id, at)
    select ${trainId}, given.car_id, given.merge_request_id, given.iid, coalesce(mr.title, ''), given.reason, given.sha,
      given.evidence::jsonb, given.user_id, ${happened.now}
    from unnest(${left.map(({ carId }) => carId)}::bigint[], ${left.map(({ mergeRequestId }) => mergeRequestId)}::bigint[],
      ${left.map(({ iid }) => iid)}::bigint[], ${left.map(({ reason }) => reason)}::text[],
      ${left.map(({ sha }) => sha ?? null)}::text[], ${left.map(({ evidence }) => keptEvidence(evidence))}::text[],
      ${left.map(({ userId }) => userId)}::bigint[]) with ordinality
      as given (car_id, merge_request_id, iid, reason, sha, evidence, user_id, place)
    left join merge_requests mr on mr.id = given.merge_request_id
    order by given.place
    on conflict (car_id) do nothing`,
    ),
  );
}

/**
 * Notes a landing, and when a pause begins or ends.
 * @returns when the pause began that ends now
 */
async function markTrain(tx: Tx, trainId: number, events: readonly TrainEvent[], now: Date): Promise<Date | undefined> {
  const landed = events.some(({ kind }) => kind === 'merged');
  const changed = events.findLast((event) => event.kind === 'state_changed');
  if (!landed && changed === undefined) return undefined;
  const paused = changed === undefined ? null : changed.state === 'paused';
  const row = await tx.one<{ pausedSince: Date | null }>(
    prepared(
      'mark_train',
      sql`
    update merge_trains t set
      landed_at = case when ${landed} then ${now}::timestamptz else t.landed_at end,
      stuck_since = case when ${landed} then null else t.stuck_since end,
      paused_since = case ${paused}::boolean when true then coalesce(t.paused_since, ${now}::timestamptz) when false then null
        else t.paused_since end
    from (select id, paused_since from merge_trains where id = ${trainId}) before where t.id = before.id
    returning before.paused_since as "pausedSince"`,
    ),
  );
  return paused === false ? (row?.pausedSince ?? undefined) : undefined;
}

/** Adds to the counters. The lock of the train's row keeps two transactions from adding the last name at once. */
async function count(tx: Tx, trainId: number, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return;
  await tx.query(
    prepared(
      'count_train_measures',
      sql`
    with given as (
      select * from unnest(${counted.map(({ day }) => day)}::date[], ${counted.map(({ measure }) => measure)}::text[],
        ${counted.map(({ name }) => name)}::text[], ${counted.map(({ value }) => value)}::bigint[])
        as given (day, measure, name, value)),
    taken as (
      select m.day, m.measure, count(*) as names
      from (select distinct day, measure from given where measure = any(${[...named]}::text[])) g
      join merge_train_measures m on m.train_id = ${trainId} and m.day = g.day and m.measure = g.measure
      where m.name <> '' group by m.day, m.measure),
    placed as (
      select g.*, m.name is not null as known,
        row_number() over (partition by g.day, g.measure, m.name is null order by g.name) + coalesce(t.names, 0) as place
      from given g left join taken t on t.day = g.day and t.measure = g.measure
      left join merge_train_measures m on m.train_id = ${trainId} and m.day = g.day and m.measure = g.measure and m.name = g.name)
    insert into merge_train_measures (train_id, day, measure, name, value)
    select ${trainId}, day, measure,
      case when known or place <= ${namesPerDay} or measure <> all(${[...named]}::text[]) then name else '' end, sum(value)
    from placed group by 2, 3, 4
    on conflict (train_id, day, measure, name) do update set value = merge_train_measures.value + excluded.value`,
    ),
  );
}

/**
 * Keeps what happened to a train: its pipelines, its departures, and the counters of the day. To be called in the transaction
 * that saves the train, under the lock of its row; at most one statement for each kind of row, whatever the number of
 * cars.
 */
export async function recordHistory(tx: Tx, train: { readonly id: number }, happened: TrainHappenings): Promise<void> {
  const { events, opened, cars, now } = happened;
  await openRuns(tx, train.id, opened, now);
  const verdicts = await finishRuns(tx, events, now);
  await recordDepartures(tx, train.id, happened);
  const pausedSince = await markTrain(tx, train.id, events, now);
  const addedAt = (carId: number): Date | undefined => cars.get(carId)?.createdAt;
  await count(tx, train.id, measuresOf({ events, builds: opened.length, addedAt, verdicts, pausedSince }, now));
}
