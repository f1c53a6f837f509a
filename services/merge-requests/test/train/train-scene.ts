import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, sql } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import { zeroSha } from '../../src/git';
import { gitEnvironment, insertProject } from '../component/repository-harness';
import { Died, type Fault, faultyDatabase } from './faulty-database';
import { maintainer, type TrainPart, trainPart } from './train-part';

/** A merge request of the scene: each changes a file of its own; hot ones change the same file as well. */
interface SceneRequest {
  readonly id: number;
  readonly iid: number;
  readonly branch: string;
  readonly file: string;
  readonly hot: boolean;
}

/** What a scene is like. */
export interface SceneSettings {
  readonly method: string;
  readonly required: readonly string[];
  readonly parallel: number;
  readonly squash: boolean;
  readonly requests: number;
}

/** Ways of leaving that somebody asks for. */
export type Way = 'cancel' | 'close' | 'draft' | 'retarget' | 'delete source' | 'push';

interface CarRow {
  id: number;
  merge_request_id: number;
  iid: number;
  status: string;
  onto_sha: string | null;
  sha: string | null;
  pipeline_id: number | null;
}

interface Told {
  readonly kind: 'mergeTrainEntryAdded' | 'mergeTrainEntryRemoved';
  readonly entryId: number;
  readonly reason: string | undefined;
  readonly pipelineId: number;
  readonly mergeRequestId: number;
}

const target = 'next';
const targetRef = `refs/heads/${target}`;
/** Rounds of a worker and a CI that do nothing wrong until a train of five is empty, with some to spare. */
const rounds = 25;

/**
 * One train of the real service, on git and PostgreSQL, and everything that can happen to it. The oracles read the branch's own log of
 * moves, the tables and the outbox, and know what was reported and pushed; they share nothing with the service.
 */
export class TrainScene {
  private readonly requests: SceneRequest[] = [];
  private readonly reports = new Map<number, Map<string, string>>();
  private readonly causes = new Map<number, Set<string>>();
  /** What each commit that the target branch has stood at adds to another one. */
  private readonly contents = new Map<string, { readonly on: string; readonly adds: readonly string[] }>();
  private readonly outsiders = new Set<string>();
  /** Moves of the target branch, in their order. */
  private readonly moves: { from: string; to: string; carId: number | undefined }[] = [];
  /** Landed commits that the target branch lost again. */
  private readonly undone = new Set<string>();
  private readonly trace: string[] = [];
  private readonly repo: string;
  private readonly part: TrainPart;
  private made = 0;
  private readLines = 0;
  private late = 0;
  private someoneDied = false;

  private constructor(
    private readonly db: Database,
    private readonly data: string,
    private readonly projectId: number,
    private readonly settings: SceneSettings,
  ) {
    this.part = this.partOn(db);
    this.repo = this.part.repositoryOf(projectId).path;
  }

  /** Makes a project with its merge requests. */
  static async make(db: Database, data: string, projectId: number, settings: SceneSettings): Promise<TrainScene> {
    await insertProject(db, projectId);
    await db.query(sql`
      update directory.projects set merge_method = ${settings.method}, merge_trains_enabled = true,
        merge_trains_skip_train_allowed = true, merge_train_required_statuses = ${[...settings.required]}::text[],
        merge_train_parallel_cars = ${settings.parallel} where id = ${projectId}`);
    const scene = new TrainScene(db, data, projectId, settings);
    await scene.populate();
    return scene;
  }

  private partOn(db: Database): TrainPart {
    return trainPart(db, this.data, () => new Date(Date.now() + this.late));
  }

  private async populate(): Promise<void> {
    await this.part.open(this.projectId);
    const stream = [
      fastCommit('refs/heads/main', undefined, { base: 'base\n' }, 1),
      `reset ${targetRef}`,
      'from :1',
      '',
    ];
    for (let n = 1; n <= this.settings.requests; n += 1) {
      const hot = n % 3 === 0;
      // Each boarded merge request is rebuilt by replaying its commits, of which some have two.
      stream.push(
        fastCommit(`refs/heads/s${n}`, ':1', { [`f${n}`]: `${n}\n`, ...(hot ? { hot: `${n}\n` } : {}) }, 10 * n),
      );
      if (n % 2 === 0)
        stream.push(fastCommit(`refs/heads/s${n}`, `:${10 * n}`, { [`f${n}`]: `${n}\nmore\n` }, 10 * n + 1));
    }
    this.git(['fast-import', '--quiet'], stream.join('\n'));
    mkdirSync(join(this.repo, 'logs/refs/heads'), { recursive: true });
    writeFileSync(join(this.repo, 'logs', targetRef), '');
    const base = this.tip();
    this.contents.set(base, { on: '', adds: ['base'] });
    this.outsiders.add(base);
    for (let n = 1; n <= this.settings.requests; n += 1) {
      const id = await this.part.create(maintainer, {
        projectId: this.projectId,
        targetProjectId: this.projectId,
        sourceBranch: `s${n}`,
        targetBranch: target,
        title: `Request ${n}`,
        description: undefined,
        assigneeIds: [],
        reviewerIds: [],
        labels: [],
        milestoneId: undefined,
        squash: this.settings.squash,
        allowCollaboration: false,
      });
      this.requests.push({ id, iid: n, branch: `s${n}`, file: `f${n}`, hot: n % 3 === 0 });
    }
  }

  // What happens.

  async board(at: number): Promise<void> {
    const { id, iid } = this.request(at);
    this.note(`board !${iid}`);
    if (this.tip() === '') this.blame(id, 'REASON_TARGET_BRANCH_DELETED');
    await refusable(this.part.board(id));
  }

  async leave(at: number, way: Way): Promise<void> {
    const { id, iid, branch } = this.request(at);
    this.note(`${way} !${iid}`);
    const key = { projectId: this.projectId, iid };
    const update = (changes: object) =>
      this.part.update(maintainer, key, { addLabels: [], removeLabels: [], ...changes });
    const reasons = {
      cancel: 'CANCELED',
      close: 'CLOSED',
      draft: 'DRAFT',
      retarget: 'RETARGETED',
      'delete source': 'SOURCE_BRANCH_DELETED',
      push: 'PUSHED',
    };
    this.blame(id, `REASON_${reasons[way]}`);
    if (way === 'cancel') await refusable(this.part.remove(maintainer, key));
    // Back at once: it may board again.
    if (way === 'close' && (await refusable(update({ stateEvent: 'close' }))))
      await refusable(update({ stateEvent: 'reopen' }));
    if (way === 'draft' && (await refusable(update({ title: `Draft: Request ${iid}` }))))
      await update({ title: 'Request' });
    if (way === 'retarget' && (await refusable(update({ targetBranch: 'main' }))))
      await refusable(update({ targetBranch: target }));
    if (way === 'delete source' || way === 'push') {
      const before = this.refAt(`refs/heads/${branch}`);
      if (before === '') return;
      const after = way === 'push' ? this.commitOn(before, { [`f${iid}`]: `${this.number()}\n` }) : zeroSha;
      await this.move(`refs/heads/${branch}`, before, after);
    }
  }

  /** Someone pushes to the target branch; hot ones change the file that others change, too. */
  async outsidePush(hot: boolean): Promise<void> {
    const before = this.tip();
    if (before === '') return this.recreateTarget();
    const file = hot ? 'hot' : `o${this.number()}`;
    const after = this.commitOn(before, { [file]: `${this.number()}\n` });
    this.note(`outside push ${short(after)} of ${file}`);
    await this.moveTarget(before, after, { on: before, adds: [file] });
  }

  /** The branch goes back to what its first commit held, with another commit on it. */
  async forcePush(): Promise<void> {
    const before = this.tip();
    if (before === '') return;
    const file = `o${this.number()}`;
    const after = this.commitOn(this.refAt('refs/heads/main'), { [file]: 'forced\n' });
    this.note(`force push ${short(after)}`);
    this.excuse();
    await this.moveTarget(before, after, { on: '', adds: ['base', file] });
  }

  async deleteTarget(): Promise<void> {
    const before = this.tip();
    if (before === '') return;
    this.note('target deleted');
    for (const { id } of this.requests) this.blame(id, 'REASON_TARGET_BRANCH_DELETED');
    this.readMoves();
    this.excuse();
    await this.move(targetRef, before, zeroSha);
    this.readLines = 0;
  }

  private async recreateTarget(): Promise<void> {
    this.note('target is back');
    const base = this.refAt('refs/heads/main');
    writeFileSync(join(this.repo, 'logs', targetRef), '');
    await this.moveTarget(zeroSha, base, { on: '', adds: ['base'] });
  }

  /** The commit that a car waits for is pushed by hand. */
  async pushCar(at: number): Promise<void> {
    const cars = await this.cars();
    const car = cars[at % Math.max(1, cars.length)];
    const before = this.tip();
    if (car?.sha == null || before === '' || cars[0]?.onto_sha !== before) return;
    this.note(`push of the commit of !${car.iid}`);
    const there = cars.slice(0, cars.indexOf(car) + 1);
    for (const { merge_request_id: id } of there) this.blame(id, 'REASON_MERGED_BY_PUSH');
    for (const { merge_request_id: id } of there) this.blame(id, 'REASON_NO_CHANGES');
    const files = there.map(({ iid }) => `f${iid}`);
    const hot = there.some(({ iid }) => iid % 3 === 0);
    await this.moveTarget(before, car.sha, { on: before, adds: [...files, ...(hot ? ['hot'] : [])] });
  }

  async skipTrain(at: number): Promise<void> {
    const { id, iid, hot } = this.request(at);
    this.note(`!${iid} merges past the train`);
    this.blame(id, 'REASON_SKIPPED');
    const before = this.tip();
    await refusable(
      this.part.merge(
        maintainer,
        { projectId: this.projectId, iid },
        {
          mergeCommitMessage: undefined,
          squashCommitMessage: undefined,
          squash: undefined,
          removeSourceBranch: undefined,
          autoMerge: false,
          sha: undefined,
          skipTrain: true,
        },
      ),
    );
    const after = this.tip();
    if (after === before) return;
    this.outsiders.add(after);
    this.contents.set(after, { on: before, adds: [`f${iid}`, ...(hot ? ['hot'] : [])] });
  }

  /** An outside CI reports on any pipeline of a train there ever was. */
  async report(at: number, name: string, state: string): Promise<void> {
    const pipelines = await this.pipelines();
    const pipeline = pipelines[at % Math.max(1, pipelines.length)];
    if (pipeline === undefined) return;
    await this.reportOn(pipeline, name, state);
  }

  private async reportOn({ id, sha }: { id: number; sha: string }, name: string, state: string): Promise<void> {
    const accepted = await refusable(
      this.part.report(maintainer, {
        projectId: this.projectId,
        revision: sha,
        state: state as never,
        ref: undefined,
        name,
        targetUrl: undefined,
        description: undefined,
        coverage: undefined,
        pipelineId: id,
      }),
    );
    if (!accepted) return;
    this.note(`#${id} ${name} ${state}`);
    // From the intent on a landing is decided: what comes then, comes too late.
    const decided = await this.db.query(sql`
      select 1 from merge_train_cars where pipeline_id = ${id} and status in ('merging', 'merged')`);
    if (decided.length > 0) return;
    this.reports.set(id, (this.reports.get(id) ?? new Map()).set(name, state));
  }

  /** The outside CI passes every pipeline that a car waits for. */
  async passAll(): Promise<void> {
    for (const { sha, pipeline_id: id } of await this.cars()) {
      if (sha === null || id === null) continue;
      const names = new Set([...(this.reports.get(id)?.keys() ?? []), ...this.settings.required, 'unit']);
      for (const name of names) await this.reportOn({ id, sha }, name, 'success');
    }
  }

  /** A worker takes every job that is due; `fault` happens to it. */
  async work(fault: Fault): Promise<void> {
    this.note(`work, ${fault.kind}${'at' in fault ? ` at ${fault.at}` : ''}`);
    const part = fault.kind === 'none' ? this.part : this.partOn(faultyDatabase(this.db, fault));
    await this.mayDie(part.work());
    await this.takeInLandings();
  }

  /** Two workers at the same train at once, of which one may be struck. */
  async race(fault: Fault): Promise<void> {
    this.note(`race, ${fault.kind}${'at' in fault ? ` at ${fault.at}` : ''}`);
    const [train] = await this.db.query<{ id: number }>(
      sql`select id from merge_trains where project_id = ${this.projectId}`,
    );
    if (train === undefined) return;
    const struck = this.partOn(faultyDatabase(this.db, fault));
    await Promise.all([this.mayDie(struck.runTrain(train.id)), this.part.runTrain(train.id)]);
    await this.takeInLandings();
  }

  async timeOut(): Promise<void> {
    this.note('an hour passes');
    for (const { merge_request_id: id } of await this.cars()) this.blame(id, 'REASON_TIMEOUT');
    this.late = 61 * 60_000;
    await this.part.lookAfter();
    await this.part.work();
    this.late = 0;
    await this.takeInLandings();
  }

  async switchOff(): Promise<void> {
    this.note('trains are switched off, and on');
    for (const { merge_request_id: id } of await this.cars()) this.blame(id, 'REASON_TRAINS_DISABLED');
    await this.db.query(sql`update directory.projects set merge_trains_enabled = false where id = ${this.projectId}`);
    await this.part.lookAfter();
    await this.part.work();
    await this.db.query(sql`update directory.projects set merge_trains_enabled = true where id = ${this.projectId}`);
    await this.takeInLandings();
  }

  async deletePipeline(at: number): Promise<void> {
    const pipelines = await this.pipelines();
    const pipeline = pipelines[at % Math.max(1, pipelines.length)];
    if (pipeline === undefined) return;
    this.note(`#${pipeline.id} deleted`);
    await this.db.query(sql`delete from pipelines where id = ${pipeline.id}`);
    await this.part.lookAfter();
  }

  /** Seconds pass in which others look after what was left behind. */
  async lookAfter(): Promise<void> {
    await this.part.lookAfter();
    await this.takeInLandings();
  }

  private async mayDie(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
      this.someoneDied = true;
      this.note('it died');
    });
  }

  // Oracles.

  /** What must hold after everything that happens. */
  async check(): Promise<void> {
    await this.takeInLandings();
    const [cars, told, receipts, requests, pipelines] = await Promise.all([
      this.cars(),
      this.told(),
      this.receipts(),
      this.db.query<{ id: number; iid: number; state: string; strategy: string | null }>(sql`
        select id, iid, state, auto_merge_strategy as strategy from merge_requests where project_id = ${this.projectId}`),
      this.pipelines(),
    ]);
    const added = told.filter(({ kind }) => kind === 'mergeTrainEntryAdded').map(({ entryId }) => entryId);
    const removed = told.filter(({ kind }) => kind === 'mergeTrainEntryRemoved');
    this.expect(new Set(added).size === added.length, 'a car boarded twice');
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

  private checkLandings(
    receipts: Awaited<ReturnType<TrainScene['receipts']>>,
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

  private checkPipelines(
    cars: readonly CarRow[],
    pipelines: Awaited<ReturnType<TrainScene['pipelines']>>,
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
  private async takeInLandings(): Promise<void> {
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

  private readMoves() {
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

  private mayLeave(mergeRequestId: number, pipelineId: number, reason: string | undefined): boolean {
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

  private get everReported(): Map<number, Set<string>> {
    const found = new Map<number, Set<string>>();
    for (const line of this.trace) {
      const [, id, state] = /^#(\d+) \w+ (\w+)$/.exec(line) ?? [];
      if (id !== undefined && state !== undefined)
        found.set(Number(id), (found.get(Number(id)) ?? new Set()).add(state));
    }
    return found;
  }

  /** Everything goes well from here on: the train empties, and what git holds is what was told. */
  async finally(): Promise<void> {
    this.note('from here on all goes well');
    if (this.someoneDied) await this.part.lookAfter();
    for (let round = 0; ; round += 1) {
      await this.work({ kind: 'none' });
      const cars = await this.cars();
      await this.check();
      if (cars.length === 0) break;
      if (round === rounds) {
        const jobs = await this.db.query(sql`select * from jobs`);
        this.expect(
          false,
          `after ${rounds} rounds there are still cars ${JSON.stringify(cars)}, jobs ${JSON.stringify(jobs)}`,
        );
      }
      for (const { iid, sha, status } of cars) {
        if (status !== 'fresh') continue;
        const at = this.refAt(`refs/merge-requests/${iid}/train`);
        this.expect(at === sha, `what CI fetches of !${iid} is ${short(at)}, what lands is ${short(sha ?? '')}`);
      }
      await this.passAll();
    }
    await this.work({ kind: 'none' });
    for (const { iid } of this.requests) {
      this.expect(this.refAt(`refs/merge-requests/${iid}/train`) === '', `the train ref of !${iid} was left behind`);
    }
    const tip = this.tip();
    if (tip !== '') {
      const files = this.git(['ls-tree', '-r', '--name-only', tip]).trim().split('\n').sort();
      this.expect(
        files.join() === [...this.contentOf(tip)].sort().join(),
        `${short(tip)} holds ${files}, it should hold ${[...this.contentOf(tip)]}`,
      );
    }
    this.git(['fsck', '--strict', '--no-dangling', '--no-progress']);
  }

  // What is there.

  private cars(): Promise<CarRow[]> {
    return this.db.query<CarRow & Record<string, unknown>>(sql`
      select c.id, c.merge_request_id, mr.iid, c.status, c.onto_sha, c.sha, c.pipeline_id
      from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id
      where c.project_id = ${this.projectId} and c.status in ('idle', 'stale', 'fresh', 'merging') order by c.id`);
  }

  private pipelines(): Promise<{ id: number; sha: string; status: string }[]> {
    return this.db.query(sql`
      select id, sha, status from pipelines where project_id = ${this.projectId} and ref like '%/train' order by id`);
  }

  private receipts() {
    return this.db.query<{
      car_id: number;
      merge_request_id: number;
      landed_sha: string;
      base_sha: string;
      tested_sha: string | null;
      pipeline_id: number | null;
    }>(sql`
      select car_id, merge_request_id, landed_sha, base_sha, tested_sha, pipeline_id from landing_receipts
      where project_id = ${this.projectId} order by id`);
  }

  private async told(): Promise<Told[]> {
    const ids = this.requests.map(({ id }) => String(id));
    const rows = await this.db.query<{ body: Record<string, Record<string, unknown>> }>(sql`
      select body from events.outbox where key = any(${ids}::text[]) order by id`);
    return rows.flatMap(({ body }) =>
      (['mergeTrainEntryAdded', 'mergeTrainEntryRemoved'] as const).flatMap((kind) => {
        const fact = body[kind];
        return fact === undefined
          ? []
          : {
              kind,
              entryId: Number(fact.entryId),
              reason: fact.reason as string | undefined,
              pipelineId: Number(fact.pipelineId ?? 0),
              mergeRequestId: Number(body.mergeRequest?.id),
            };
      }),
    );
  }

  private request(at: number): SceneRequest {
    return this.requests[at % this.requests.length] as SceneRequest;
  }

  private refAt(ref: string): string {
    const loose = join(this.repo, ref);
    return existsSync(loose) ? readFileSync(loose, 'utf8').trim() : '';
  }

  private tip(): string {
    return this.refAt(targetRef);
  }

  private contentOf(sha: string): ReadonlySet<string> {
    const { on, adds } = this.contents.get(sha) ?? { on: '', adds: [] };
    return new Set([...(on === '' ? [] : this.contentOf(on)), ...adds]);
  }

  private commitOn(parent: string, files: Record<string, string>): string {
    const ref = `refs/outside/${this.number()}`;
    this.git(['fast-import', '--quiet'], fastCommit(ref, parent, files, 1));
    return this.refAt(ref);
  }

  private async moveTarget(
    before: string,
    after: string,
    holds: { on: string; adds: readonly string[] },
  ): Promise<void> {
    this.outsiders.add(after);
    this.contents.set(after, holds);
    await this.move(targetRef, before, after);
  }

  private async move(ref: string, before: string, after: string): Promise<void> {
    await this.part.changeRefs({
      projectId: this.projectId,
      actorId: 2,
      source: 'push',
      updates: [{ ref, before, after } as never],
    });
  }

  private excuse(): void {
    for (const { to } of this.moves) this.undone.add(to);
  }

  private git(args: string[], input?: string): string {
    const done = spawnSync('git', args, { env: { ...gitEnvironment, GIT_DIR: this.repo }, input, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
    return done.stdout;
  }

  private number(): number {
    this.made += 1;
    return this.made;
  }

  private blame(id: number, reason: string): void {
    this.causes.set(id, (this.causes.get(id) ?? new Set()).add(reason));
  }

  private note(line: string): void {
    this.trace.push(line);
  }

  private expect(holds: boolean, what: string): void {
    if (!holds) throw new Error(`project ${this.projectId}: ${what}\n  ${this.trace.join('\n  ')}`);
  }
}

const short = (sha: string): string => sha.slice(0, 8);

/** Waits for what may be refused; false when it was. */
const refusable = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (isAppError(error) && error.kind !== 'internal') return false;
      throw error;
    },
  );

function fastCommit(ref: string, parent: string | undefined, files: Record<string, string>, mark: number): string {
  const changes = Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\ndata ${text.length}\n${text}`);
  return [
    `commit ${ref}`,
    `mark :${mark}`,
    'committer Ada <ada@example.org> 1700000000 +0000',
    `data 6\nchange`,
    ...(parent === undefined ? [] : [`from ${parent}`]),
    ...changes,
    '',
  ].join('\n');
}
