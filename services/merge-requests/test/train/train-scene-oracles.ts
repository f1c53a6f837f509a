import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sql } from '@switchyard/database/sql';
import { type CarRow, chainOf, type Move, type PublishedFact, SceneState, short, targetRef } from './train-scene-state';

/**
 * What must hold of a train, by the branch's own log of moves, the tables, the outbox, and what was reported and
 * pushed.
 */
export abstract class SceneOracles extends SceneState {
  /** Cars whose removal was looked at. */
  private readonly judged = new Set<number>();

  /** What must hold after everything that happens. */
  async check(): Promise<void> {
    await this.takeInLandings();
    const [cars, published, receipts, requests, pipelines] = await Promise.all([
      this.cars(),
      this.published(),
      this.receipts(),
      this.db.query<{ id: number; iid: number; state: string; strategy: string | null }>(sql`
        select id, iid, state, auto_merge_strategy as strategy from merge_requests where project_id = ${this.projectId}`),
      this.pipelines(),
    ]);
    const added = published
      .filter(({ kind, moved }) => kind === 'mergeTrainEntryAdded' && !moved)
      .map(({ entryId }) => entryId);
    const removed = published.filter(({ kind }) => kind === 'mergeTrainEntryRemoved');
    this.expect(new Set(added).size === added.length, 'a car was added twice');
    for (const id of added) {
      const places = [
        cars.filter((car) => car.id === id).length,
        receipts.filter((one) => one.car_id === id).length,
        removed.filter((one) => one.entryId === id).length,
      ];
      this.expect(places.reduce((sum, one) => sum + one) === 1, `car ${id} is queued, landed, removed ${places}`);
    }
    for (const fact of removed) {
      this.expect(this.mayLeave(fact), `car ${fact.entryId} left for ${fact.reason}, which never happened`);
      this.checkBlame(fact);
    }
    for (const { id, iid, state, strategy } of requests) {
      const car = cars.find((one) => one.merge_request_id === id);
      this.expect(
        (car !== undefined) === (strategy === 'merge_train'),
        `!${iid} is ${strategy}, its car is ${car?.status}`,
      );
      this.expect(
        (state === 'locked') === (car?.status === 'merging') || state !== 'opened',
        `!${iid} is ${state}, its car ${car?.status}`,
      );
    }
    this.checkLandings(receipts, requests, cars);
    this.checkPipelines(cars, pipelines, receipts);
    await this.checkChain(cars, pipelines);
  }

  protected checkLandings(
    receipts: Awaited<ReturnType<SceneState['receipts']>>,
    requests: readonly { id: number; state: string }[],
    cars: readonly CarRow[],
  ): void {
    const byTrain = receipts.filter(({ tested_sha }) => tested_sha !== null);
    for (const { carIds, from, to } of this.moves) {
      // A batch lands whole: all of it is merged, or none of it yet.
      const merging = carIds.filter((carId) => cars.some(({ id, status }) => id === carId && status === 'merging'));
      const merged = carIds.filter((carId) => byTrain.some(({ car_id }) => car_id === carId));
      const whole = merged.length === carIds.length ? merging.length === 0 : merging.length === carIds.length;
      this.expect(whole, `${short(to)} landed cars ${carIds}, of which ${merging} are merging and ${merged} merged`);
      if (merged.length === 0) continue;
      let onto = from;
      const own = carIds.map((carId) => byTrain.find(({ car_id }) => car_id === carId)!);
      const iids = own.map(({ merge_request_id }) => this.requests.find(({ id }) => id === merge_request_id)?.iid);
      for (const receipt of own) {
        this.expect(
          receipt.base_sha === onto && receipt.tested_sha === to && receipt.pipeline_id === own[0]?.pipeline_id,
          `the receipt of car ${receipt.car_id} is about another landing`,
        );
        this.expect(
          isDeepStrictEqual(receipt.batch_iids, iids.length === 1 ? [] : iids),
          `the receipt of car ${receipt.car_id} names the batch ${receipt.batch_iids}`,
        );
        onto = receipt.landed_sha;
      }
      this.expect(onto === to, `the receipts of ${carIds} lead to ${short(onto)}`);
    }
    for (const { car_id, landed_sha, tested_sha, merge_request_id } of receipts) {
      this.expect(
        this.moves.some(({ to }) => to === (tested_sha ?? landed_sha)),
        `car ${car_id} is said to have landed as ${short(landed_sha)}`,
      );
      this.expect(
        requests.find(({ id }) => id === merge_request_id)?.state === 'merged',
        `car ${car_id} landed, its merge request is open`,
      );
    }
    const order = this.moves.flatMap(({ carIds }) => carIds);
    this.expect(
      this.hasOvertaken || order.every((id, at) => at === 0 || (order[at - 1] as number) < id),
      `cars landed out of order: ${order}`,
    );
  }

  protected checkPipelines(
    cars: readonly CarRow[],
    pipelines: Awaited<ReturnType<SceneState['pipelines']>>,
    receipts: readonly { pipeline_id: number | null }[],
  ): void {
    const current = new Set([...cars.map((car) => car.pipeline_id), ...receipts.map((one) => one.pipeline_id)]);
    let running = 0;
    for (const { id, status, probe } of pipelines) {
      if (!['created', 'pending', 'running'].includes(status) || probe) continue;
      running += 1;
      this.expect(current.has(id), `pipeline ${id} is superseded and ${status}`);
    }
    this.expect(running <= this.settings.parallel, `${running} pipelines run`);
    const opened = pipelines.filter(({ id, probe }) => !probe && id > (this.standstill?.newestPipeline ?? id));
    this.expect(opened.length === 0, `the train is paused and has opened ${opened.map(({ id }) => id)}`);
  }

  /** Each car is built on the nearest one ahead that is not failing, and tested as the tip of its batch. */
  protected async checkChain(
    cars: readonly CarRow[],
    pipelines: Awaited<ReturnType<SceneState['pipelines']>>,
  ): Promise<void> {
    // Whose pipeline was deleted is judged anew when the train is looked at.
    if (cars.some(({ sha, pipeline_id, verdict }) => sha !== null && pipeline_id === null && verdict !== 'pending'))
      return;
    const groups = groupsOf(cars);
    let tip = cars[0]?.status === 'merging' ? cars[0].onto_sha : ((await this.train())?.base_sha ?? null);
    for (const group of groups) {
      let onto = tip;
      for (const { id, onto_sha, sha, pipeline_id } of group) {
        if (sha !== null) {
          this.expect(onto !== null, `car ${id} is built before one ahead of it`);
          this.expect(
            onto_sha === onto,
            `car ${id} is built on ${short(onto_sha ?? '')}, ahead is ${short(onto ?? '')}`,
          );
          const tested = pipelines.find((one) => one.id === pipeline_id)?.sha;
          this.expect(
            tested === undefined || tested === group.at(-1)?.sha,
            `car ${id} is tested as ${short(tested ?? '')}`,
          );
        }
        onto = sha;
      }
      tip = isFailing(group) ? tip : onto;
    }
    const first = cars.find(({ sha }) => sha !== null)?.onto_sha;
    this.expect(
      first == null || this.contents.has(first),
      `the first is built on ${short(first ?? '')}, where the branch never stood`,
    );
    const merging = cars.filter(({ status }) => status === 'merging');
    const together = merging.every(({ pipeline_id }) => pipeline_id === merging[0]?.pipeline_id);
    const left = cars.filter(
      ({ status, pipeline_id }) =>
        status !== 'merging' && pipeline_id !== null && pipeline_id === merging[0]?.pipeline_id,
    );
    this.expect(together && left.length === 0, `of a batch ${merging.map(({ id }) => id)} are landing alone`);
  }

  /**
   * A car leaves for a failure only when the commit that failed lies on commits that have all landed, and as often as the
   * project has failures tested again.
   */
  private checkBlame({ entryId, reason, mergeRequestId, evidence }: PublishedFact): void {
    const judged = ['REASON_PIPELINE_FAILED', 'REASON_CONFLICT', 'REASON_NO_CHANGES', 'REASON_TIMEOUT'];
    if (!judged.includes(reason ?? '') || this.judged.has(entryId)) return;
    this.judged.add(entryId);
    const base = evidence?.baseSha ?? '';
    this.expect(
      this.contents.has(base),
      `car ${entryId} left for ${reason} on ${short(base)}, where the branch never stood`,
    );
    const request = this.requests.find(({ id }) => id === mergeRequestId);
    const tested = evidence?.testedSha ?? '';
    if (reason === 'REASON_PIPELINE_FAILED') {
      const runs = this.failedRuns.get(tested)?.size ?? 0;
      this.expect(runs > this.settings.retries, `car ${entryId} left after ${runs} failures of ${short(tested)}`);
    }
    if (tested === '') return;
    const changed = this.git(['diff', '--name-only', base, tested])
      .split('\n')
      .filter((name) => name !== '');
    const foreign = changed.filter((name) => name !== request?.file && !(request?.hot === true && name === 'hot'));
    this.expect(
      foreign.length === 0,
      `car ${entryId} left for a commit that holds ${foreign} of others, which has not landed`,
    );
  }

  /** Notes when the train stands still: from then on nothing lands that was not being landed, and nothing is opened. */
  private async noteStandstill(): Promise<void> {
    const train = await this.train();
    if (train?.state !== 'paused') this.standstill = undefined;
    else if (this.standstill?.changeId !== train.change_id) {
      const [cars, pipelines] = [await this.cars(), await this.pipelines()];
      const landing = cars.flatMap(({ status, sha }) => (status === 'merging' && sha !== null ? sha : []));
      // What has landed already is in the branch's log.
      const landed = this.readMoves(false).map(({ to }) => to);
      this.standstill = {
        changeId: train.change_id,
        landing: new Set([...landing, ...landed]),
        newestPipeline: pipelines.at(-1)?.id ?? 0,
      };
    }
  }

  /** Reads how the target branch has moved, and judges each move that no outsider made. */
  protected async takeInLandings(): Promise<void> {
    await this.noteStandstill();
    const moves = this.readMoves();
    if (moves.length === 0) return;
    const rows = await this.db.query<{
      id: number;
      iid: number;
      sha: string;
      onto_sha: string;
      pipeline_id: number;
    }>(sql`
      select c.id, mr.iid, c.sha, c.onto_sha, c.pipeline_id from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id
      where c.project_id = ${this.projectId} and c.sha is not null`);
    for (const move of moves) {
      if (this.outsiders.has(move.to)) continue;
      const cars = chainOf(rows, move.from, move.to);
      this.expect(
        cars !== undefined,
        `${short(move.to)} landed on ${short(move.from)} and is no chain of cars' commits`,
      );
      if (cars === undefined) continue;
      move.carIds = cars.map(({ id }) => id);
      const names = cars.map(({ iid }) => `!${iid}`).join(', ');
      this.note(`${names} landed as ${short(move.to)}`);
      const { standstill } = this;
      this.expect(standstill?.landing.has(move.to) !== false, `${names} landed on a train that is paused`);
      const pipelineId = cars.at(-1)?.pipeline_id ?? 0;
      const together = rows.filter((one) => one.pipeline_id === pipelineId).length;
      this.expect(together === cars.length, `${names} landed, of ${together} that were tested together`);
      this.expect(
        this.isGreen(pipelineId),
        `${names} landed with ${JSON.stringify([...(this.reports.get(pipelineId) ?? [])])}`,
      );
      const adds = cars.flatMap(({ iid }) => [`f${iid}`, ...(iid % 3 === 0 ? ['hot'] : [])]);
      this.contents.set(move.to, { on: move.from, adds });
    }
  }

  private isGreen(pipelineId: number): boolean {
    const names = this.reports.get(pipelineId) ?? new Map<string, string>();
    const { required, count } = this.settings;
    const wanted = required.length > 0 ? required : [...names.keys()];
    const passed = wanted.filter(
      (name) => names.get(name) === 'success' || (required.length === 0 && names.get(name) === 'skipped'),
    );
    const least = required.length > 0 ? 1 : Math.max(1, count);
    return wanted.length >= least && passed.length === wanted.length;
  }

  /** Moves of the target branch that were not read yet; `take`: from now on they are. */
  protected readMoves(take = true): Move[] {
    const log = join(this.repo, 'logs', targetRef);
    if (!existsSync(log)) return [];
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const fresh = lines.slice(this.readLines).map((line): Move => {
      const [from = '', to = ''] = line.split(' ');
      return { from, to, carIds: [] };
    });
    if (!take) return fresh;
    this.readLines = lines.length;
    this.moves.push(...fresh);
    return fresh;
  }

  protected mayLeave({ mergeRequestId, pipelineId, reason, evidence }: PublishedFact): boolean {
    const causes = this.causes.get(mergeRequestId);
    const request = this.requests.find(({ id }) => id === mergeRequestId);
    const states = [...(this.everReported.get(pipelineId) ?? [])];
    if (reason === 'REASON_PIPELINE_FAILED') return states.includes('failed') || states.includes('skipped');
    if (reason === 'REASON_PIPELINE_CANCELED') return states.includes('canceled');
    const held = this.contentOf(evidence?.baseSha ?? '');
    if (reason === 'REASON_CONFLICT')
      return (request?.hot === true && held.has('hot')) || held.has(request?.file ?? '');
    if (reason === 'REASON_NO_CHANGES' && held.has(request?.file ?? '')) return true;
    return causes?.has(reason ?? '') === true;
  }

  protected get everReported(): Map<number, Set<string>> {
    const found = new Map<number, Set<string>>();
    for (const line of this.trace) {
      const [, id, state] = /^#(\d+) \w+ (\w+)$/.exec(line) ?? [];
      if (id !== undefined && state !== undefined)
        found.set(Number(id), (found.get(Number(id)) ?? new Set()).add(state));
    }
    return found;
  }
}

/** Neighbours that are tested together. */
function groupsOf(cars: readonly CarRow[]): CarRow[][] {
  const groups: CarRow[][] = [];
  for (const car of cars) {
    const last = groups.at(-1);
    if (last !== undefined && car.batch_id !== null && last[0]?.batch_id === car.batch_id) last.push(car);
    else groups.push([car]);
  }
  return groups;
}

/** Whether nothing is built on them: they failed, are being tested again, or cannot be built. */
function isFailing(group: readonly CarRow[]): boolean {
  const [first] = group;
  if (group.length === 1 && first?.held_onto != null) return true;
  if (group.some(({ sha }) => sha === null)) return false;
  const { verdict, reruns, failed_names } = group.at(-1)!;
  if (verdict === 'green') return false;
  return verdict !== 'pending' || reruns > 0 || failed_names.length > 0;
}
