import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { isAppError } from '@switchyard/errors';
import { zeroSha } from '../../src/git';
import { insertProject } from '../component/repository-harness';
import { CrashError, type Fault, faultyDatabase } from './faulty-database';
import { maintainer } from './train-part';
import { SceneOracles } from './train-scene-oracles';
import { chainOf, fastCommit, type SceneSettings, short, target, targetRef } from './train-scene-state';

/** Removals that a user requests. */
export type Way = 'cancel' | 'close' | 'draft' | 'retarget' | 'delete source' | 'push';

/** Rounds of a worker and a CI that do nothing wrong until a train of five is empty, with some to spare. */
const rounds = 40;

/** Fewer than the minutes by which the verifier allows clocks to differ: the database's is not put on. */
const timeoutMinutes = 10;

/**
 * One train of the real service, on git and PostgreSQL, and everything that can happen to it. The oracles read the
 * branch's own log of moves, the tables and the outbox, and know what was reported and pushed; they share nothing with
 * the service.
 */
export class TrainScene extends SceneOracles {
  /** Makes a project with its merge requests. */
  static async make(db: Database, data: string, projectId: number, settings: SceneSettings): Promise<TrainScene> {
    await insertProject(db, projectId);
    await db.query(sql`
      update directory.projects set merge_method = ${settings.method}, merge_trains_enabled = true,
        merge_trains_skip_train_allowed = true, merge_train_required_statuses = ${[...settings.required]}::text[],
        merge_train_parallel_cars = ${settings.parallel}, merge_train_retries = ${settings.retries},
        merge_train_batch_size = ${settings.batchSize}, merge_train_required_status_count = ${settings.count},
        merge_train_settling_seconds = 0, merge_train_timeout = ${timeoutMinutes} where id = ${projectId}`);
    const scene = new TrainScene(db, data, projectId, settings);
    await scene.populate();
    return scene;
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
      // Each queued merge request is rebuilt by replaying its commits, of which some have two.
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
      const { id } = await this.part.create(maintainer, {
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

  async board(at: number, first: boolean): Promise<void> {
    const { id, iid } = this.request(at);
    this.note(`board !${iid}${first ? ' first' : ''}`);
    if (this.tip() === '') this.blame(id, 'REASON_TARGET_BRANCH_DELETED');
    const aboard = (await this.cars()).some((car) => car.merge_request_id === id);
    const draining = (await this.train())?.state === 'draining';
    const added = await refusable(first && aboard ? this.part.moveToFront(id) : this.part.addCar(id, first));
    this.expect(!added || aboard || !draining, `!${iid} joined a train that is draining`);
    if (!first || !added) return;
    this.hasOvertaken = true;
    const cars = await this.cars();
    const front = cars.find(({ status }) => status !== 'merging');
    const own = cars.find((car) => car.merge_request_id === id);
    this.expect(own?.status === 'merging' || front?.merge_request_id === id, `!${iid} was put first and is not`);
  }

  /** A maintainer stops, drains or starts the train. */
  async control(state: string): Promise<void> {
    this.note(`control ${state}`);
    const key = { projectId: this.projectId, targetBranch: target };
    await refusable(this.part.control(maintainer, key, { state, reason: undefined, until: undefined }));
    await this.takeInLandings();
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
    // Where the branch is gone there is no way back, and another train is none of this scene.
    const away = way === 'retarget' && this.tip() !== '';
    if (away && (await refusable(update({ targetBranch: 'main' })))) await refusable(update({ targetBranch: target }));
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
    const there = car?.sha == null ? undefined : chainOf(cars, before, car.sha);
    if (car?.sha == null || before === '' || there === undefined) return;
    this.note(`push of the commit of !${car.iid}`);
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
    // By its receipt: a train that lands at the same time moves the branch as well.
    const past = (await this.receipts()).find((one) => one.merge_request_id === id && one.tested_sha === null);
    if (past === undefined) return;
    this.outsiders.add(past.landed_sha);
    this.contents.set(past.landed_sha, { on: past.base_sha, adds: [`f${iid}`, ...(hot ? ['hot'] : [])] });
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
    if (state === 'failed' || state === 'skipped') {
      this.failedRuns.set(sha, (this.failedRuns.get(sha) ?? new Set()).add(id));
    }
    // From the intent on a landing is decided: what comes then, comes too late.
    const decided = await this.db.query(sql`
      select 1 from merge_train_cars where pipeline_id = ${id} and status in ('merging', 'merged')`);
    if (decided.length > 0) return;
    this.reports.set(id, (this.reports.get(id) ?? new Map()).set(name, state));
  }

  /** The outside CI passes every pipeline that a car, or the train, waits for. */
  async passAll(): Promise<void> {
    for (const pipeline of await this.current()) {
      const counted = this.settings.count > 1 ? ['unit', 'e2e'] : ['unit'];
      const names = new Set([...(this.reports.get(pipeline.id)?.keys() ?? []), ...this.settings.required, ...counted]);
      for (const name of names) await this.reportOn(pipeline, name, 'success');
    }
  }

  /** The outside CI fails them all for one name. */
  async failAll(): Promise<void> {
    for (const pipeline of await this.current()) if (!pipeline.probe) await this.reportOn(pipeline, 'unit', 'failed');
  }

  /** The outside CI fails one that a car waits for. */
  async failOne(at: number): Promise<void> {
    const pipelines = (await this.current()).filter(({ probe }) => !probe);
    const pipeline = pipelines[at % Math.max(1, pipelines.length)];
    if (pipeline !== undefined) await this.reportOn(pipeline, 'unit', 'failed');
  }

  /** The pipelines of the cars, each once, and the probe. */
  private async current() {
    const pipelines = await this.pipelines();
    const ids = new Set((await this.cars()).map(({ pipeline_id }) => pipeline_id));
    return pipelines.filter(({ id, probe, status }) => ids.has(id) || (probe && status !== 'canceled'));
  }

  /** A worker takes every job that is due; `fault` happens to it. */
  async work(fault: Fault): Promise<void> {
    this.note(`work, ${fault.kind}${'at' in fault ? ` at ${fault.at}` : ''}`);
    const part = fault.kind === 'none' ? this.part : this.partOn(faultyDatabase(this.db, fault));
    await this.mayCrash(part.work());
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
    await Promise.all([this.mayCrash(struck.runTrain(train.id)), this.part.runTrain(train.id)]);
    await this.takeInLandings();
  }

  async timeOut(): Promise<void> {
    this.note(`${timeoutMinutes} minutes pass`);
    for (const { merge_request_id: id } of await this.cars()) this.blame(id, 'REASON_TIMEOUT');
    this.late = timeoutMinutes * 60_000 + 1_000;
    await this.part.lookAfter(timeoutMinutes * 60 + 1);
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

  /** Source branches that are there still. */
  sources(): string[] {
    return this.requests.flatMap(({ branch }) => (this.refAt(`refs/heads/${branch}`) === '' ? [] : branch));
  }

  private async mayCrash(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof CrashError)) throw error;
      this.hasCrashed = true;
      this.note('it crashed');
    });
  }

  /** Everything goes well from here on: the train empties, and git holds what was published. */
  async finally(): Promise<void> {
    this.note('from here on all goes well');
    if (this.hasCrashed) await this.part.lookAfter();
    // One that has stopped itself starts again when its probe passes.
    if ((await this.train())?.target_failing === false) await this.control('running');
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
    if (!this.settings.verified) return;
    const differences = await this.part.differences(this.projectId);
    this.expect(differences.length === 0, `the verifier says: ${differences.join('; ')}`);
  }
}

/** Waits for what may be refused; false when it was. */
const refusable = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (isAppError(error) && error.kind !== 'internal') return false;
      throw error;
    },
  );
