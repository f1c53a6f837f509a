import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { type CarRow, SceneState, short, targetRef } from './train-scene-state';

/**
 * What must hold of a train, by the branch's own log of moves, the tables, the outbox, and what was reported and
 * pushed.
 */
export abstract class SceneOracles extends SceneState {
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
    const added = published.filter(({ kind }) => kind === 'mergeTrainEntryAdded').map(({ entryId }) => entryId);
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
    for (const { entryId, reason, mergeRequestId, pipelineId } of removed) {
      this.expect(
        this.mayLeave(mergeRequestId, pipelineId, reason),
        `car ${entryId} left for ${reason}, which never happened`,
      );
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
  }

  protected checkLandings(
    receipts: Awaited<ReturnType<SceneState['receipts']>>,
    requests: readonly { id: number; state: string }[],
    cars: readonly CarRow[],
  ): void {
    const byTrain = receipts.filter(({ tested_sha }) => tested_sha !== null);
    const landings = this.moves.filter(({ carId }) => carId !== undefined);
    for (const { carId, from, to } of landings) {
      const receipt = byTrain.find(({ car_id }) => car_id === carId);
      const merging = cars.some(({ id, status }) => id === carId && status === 'merging');
      this.expect(receipt !== undefined || merging, `${short(to)} landed and car ${carId} is not merged`);
      if (receipt === undefined) continue;
      this.expect(
        receipt.landed_sha === to && receipt.base_sha === from,
        `the receipt of car ${carId} is about another landing`,
      );
    }
    for (const { car_id, landed_sha, merge_request_id } of receipts) {
      this.expect(
        this.moves.some(({ to }) => to === landed_sha),
        `car ${car_id} is said to have landed as ${short(landed_sha)}`,
      );
      this.expect(
        requests.find(({ id }) => id === merge_request_id)?.state === 'merged',
        `car ${car_id} landed, its merge request is open`,
      );
    }
    const order = landings.map(({ carId }) => carId as number);
    this.expect(
      order.every((id, at) => at === 0 || (order[at - 1] as number) < id),
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
    for (const { id, status } of pipelines) {
      const unfinished = ['created', 'pending', 'running'].includes(status);
      if (unfinished) running += 1;
      this.expect(!unfinished || current.has(id), `pipeline ${id} is superseded and ${status}`);
    }
    this.expect(running <= this.settings.parallel, `${running} pipelines run`);
    let tip: string | null = null;
    let open = false;
    cars.forEach(({ id, onto_sha, sha, pipeline_id }, position) => {
      if (sha === null) {
        open = true;
        return;
      }
      this.expect(!open, `car ${id} is built before one ahead of it`);
      if (position === 0) {
        const stood = this.contents.has(onto_sha ?? '');
        this.expect(
          stood,
          `car ${id} is the first and built on ${short(onto_sha ?? '')}, where the branch never stood`,
        );
      }
      this.expect(
        position === 0 || onto_sha === tip,
        `car ${id} is built on ${short(onto_sha ?? '')}, ahead is ${short(tip ?? '')}`,
      );
      if (pipeline_id !== null)
        this.expect(
          pipelines.find((one) => one.id === pipeline_id)?.sha === sha,
          `car ${id} is tested as something else`,
        );
      tip = sha;
    });
  }

  /** Reads how the target branch has moved, and judges each move that no outsider made. */
  protected async takeInLandings(): Promise<void> {
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
      const car = rows.find(({ sha }) => sha === move.to);
      this.expect(car !== undefined, `${short(move.to)} landed and is no car's commit`);
      if (car === undefined) continue;
      move.carId = car.id;
      this.note(`!${car.iid} landed as ${short(move.to)}`);
      this.expect(
        car.onto_sha === move.from,
        `!${car.iid} landed on ${short(move.from)}, it was tested on ${short(car.onto_sha)}`,
      );
      const names = this.reports.get(car.pipeline_id) ?? new Map<string, string>();
      const wanted = this.settings.required.length > 0 ? this.settings.required : [...names.keys()];
      const green =
        wanted.length > 0 &&
        wanted.every(
          (name) =>
            names.get(name) === 'success' || (this.settings.required.length === 0 && names.get(name) === 'skipped'),
        );
      this.expect(green, `!${car.iid} landed with ${JSON.stringify([...names])}`);
      this.contents.set(move.to, { on: move.from, adds: [`f${car.iid}`, ...(car.iid % 3 === 0 ? ['hot'] : [])] });
    }
  }

  protected readMoves() {
    const log = join(this.repo, 'logs', targetRef);
    if (!existsSync(log)) return [];
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const fresh = lines.slice(this.readLines).map((line) => {
      const [from = '', to = ''] = line.split(' ');
      return { from, to, carId: undefined as number | undefined };
    });
    this.readLines = lines.length;
    this.moves.push(...fresh);
    return fresh;
  }

  protected mayLeave(mergeRequestId: number, pipelineId: number, reason: string | undefined): boolean {
    const causes = this.causes.get(mergeRequestId);
    const request = this.requests.find(({ id }) => id === mergeRequestId);
    const states = [...(this.everReported.get(pipelineId) ?? [])];
    if (reason === 'REASON_PIPELINE_FAILED') return states.includes('failed') || states.includes('skipped');
    if (reason === 'REASON_PIPELINE_CANCELED') return states.includes('canceled');
    if (reason === 'REASON_CONFLICT') return request?.hot === true;
    if (
      reason === 'REASON_NO_CHANGES' &&
      [...this.contents.values()].some(({ adds }) => adds.includes(request?.file ?? ''))
    )
      return true;
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
