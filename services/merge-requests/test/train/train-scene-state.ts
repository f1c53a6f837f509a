import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { openRepository } from '../../src/git';
import { gitEnvironment } from '../component/repository-harness';
import { type TrainPart, trainPart } from './train-part';

/** A merge request of the scene: each changes a file of its own; hot ones change the same file as well. */
export interface SceneRequest {
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
  readonly retries: number;
  readonly batchSize: number;
  /** Without required names: how many there must be; 0: any number. */
  readonly count: number;
  readonly squash: boolean;
  readonly requests: number;
  /** Its landings are verified in the end. */
  readonly verified: boolean;
}

export interface CarRow {
  id: number;
  merge_request_id: number;
  iid: number;
  status: string;
  onto_sha: string | null;
  sha: string | null;
  pipeline_id: number | null;
  batch_id: number | null;
  verdict: string;
  reruns: number;
  failed_names: string[];
  held_onto: string | null;
}

/** What a train does, and the last decision about it. */
export interface ControlRow {
  state: string;
  target_failing: boolean;
  base_sha: string | null;
  change_id: number;
}

/** A train that stands still: what may still happen was begun before. */
export interface Standstill {
  readonly changeId: number;
  /** Commits that were being landed. */
  readonly landing: ReadonlySet<string>;
  readonly newestPipeline: number;
}

/** What shows that a car itself failed, as it was published. */
export interface PublishedEvidence {
  readonly testedSha: string;
  readonly baseSha: string;
}

export interface PublishedFact {
  readonly kind: 'mergeTrainEntryAdded' | 'mergeTrainEntryRemoved';
  readonly entryId: number;
  readonly reason: string | undefined;
  readonly pipelineId: number;
  readonly mergeRequestId: number;
  /** It was on the train already. */
  readonly moved: boolean;
  readonly evidence: PublishedEvidence | undefined;
}

export const target = 'next';
export const targetRef = `refs/heads/${target}`;

/** The first digits of a commit. */
export const short = (sha: string): string => sha.slice(0, 8);

/** A move of the target branch, and the cars that landed by it, in queue order. */
export interface Move {
  readonly from: string;
  readonly to: string;
  carIds: readonly number[];
}

/** What a scene knows of itself, and how it reads what the service has made of it. */
export abstract class SceneState {
  protected readonly requests: SceneRequest[] = [];
  protected readonly reports = new Map<number, Map<string, string>>();
  protected readonly causes = new Map<number, Set<string>>();
  /** What each commit that the target branch has stood at adds to another one. */
  protected readonly contents = new Map<string, { readonly on: string; readonly adds: readonly string[] }>();
  protected readonly outsiders = new Set<string>();
  /** Moves of the target branch, in their order. */
  protected readonly moves: Move[] = [];
  /** Pipelines of a commit for which a failure was ever reported. */
  protected readonly failedRuns = new Map<string, Set<number>>();
  protected standstill: Standstill | undefined;
  /** A maintainer put one before others: they do not land in the order in which they were added. */
  protected hasOvertaken = false;
  /** Landed commits that the target branch lost again. */
  protected readonly undone = new Set<string>();
  protected readonly trace: string[] = [];
  protected readonly repo: string;
  protected readonly part: TrainPart;
  protected made = 0;
  protected readLines = 0;
  protected late = 0;
  protected hasCrashed = false;

  constructor(
    protected readonly db: Database,
    protected readonly data: string,
    protected readonly projectId: number,
    protected readonly settings: SceneSettings,
  ) {
    this.part = this.partOn(db);
    this.repo = openRepository(join(data, 'repositories'), projectId).path;
  }

  protected partOn(db: Database): TrainPart {
    return trainPart(db, this.data, () => new Date(Date.now() + this.late));
  }

  protected cars(): Promise<CarRow[]> {
    return this.db.query<CarRow & Record<string, unknown>>(sql`
      select c.id, c.merge_request_id, mr.iid, c.status, c.onto_sha, c.sha, c.pipeline_id, c.batch_id,
        c.verdict, c.reruns, c.failed_names, c.held_onto
      from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id
      where c.project_id = ${this.projectId} and c.status in ('idle', 'stale', 'fresh', 'merging')
      order by c.status <> 'merging', c.rank, c.id`);
  }

  /** `probe`: it tests the target branch itself. */
  protected pipelines(): Promise<{ id: number; sha: string; status: string; probe: boolean }[]> {
    return this.db.query(sql`
      select id, sha, status, ref like '%/probes/%' as probe from pipelines
      where project_id = ${this.projectId} and ref like '%/train' order by id`);
  }

  protected async train(): Promise<ControlRow | undefined> {
    return this.db.one(sql`
      select control_state as state, target_failing, base_sha,
        (select coalesce(max(ch.id), 0) from merge_train_control_changes ch where ch.train_id = t.id) as change_id
      from merge_trains t where project_id = ${this.projectId} and target_branch = ${target}`);
  }

  protected receipts() {
    return this.db.query<{
      car_id: number;
      merge_request_id: number;
      landed_sha: string;
      base_sha: string;
      tested_sha: string | null;
      pipeline_id: number | null;
      batch_iids: number[];
    }>(sql`
      select car_id, merge_request_id, landed_sha, base_sha, tested_sha, pipeline_id, batch_iids from landing_receipts
      where project_id = ${this.projectId} order by id`);
  }

  protected async published(): Promise<PublishedFact[]> {
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
              moved: fact.moved === true,
              evidence: fact.evidence as PublishedEvidence | undefined,
            };
      }),
    );
  }

  protected request(at: number): SceneRequest {
    return this.requests[at % this.requests.length] as SceneRequest;
  }

  protected refAt(ref: string): string {
    const loose = join(this.repo, ref);
    return existsSync(loose) ? readFileSync(loose, 'utf8').trim() : '';
  }

  protected tip(): string {
    return this.refAt(targetRef);
  }

  protected contentOf(sha: string): ReadonlySet<string> {
    const { on, adds } = this.contents.get(sha) ?? { on: '', adds: [] };
    return new Set([...(on === '' ? [] : this.contentOf(on)), ...adds]);
  }

  protected commitOn(parent: string, files: Record<string, string>): string {
    const ref = `refs/outside/${this.number()}`;
    this.git(['fast-import', '--quiet'], fastCommit(ref, parent, files, 1));
    return this.refAt(ref);
  }

  protected async moveTarget(
    before: string,
    after: string,
    holds: { on: string; adds: readonly string[] },
  ): Promise<void> {
    this.outsiders.add(after);
    this.contents.set(after, holds);
    await this.move(targetRef, before, after);
  }

  protected async move(ref: string, before: string, after: string): Promise<void> {
    await this.part.changeRefs({
      projectId: this.projectId,
      actorId: 2,
      source: 'push',
      updates: [{ ref, before, after } as never],
    });
  }

  protected excuse(): void {
    for (const { to } of this.moves) this.undone.add(to);
  }

  protected git(args: string[], input?: string): string {
    const done = spawnSync('git', args, { env: { ...gitEnvironment, GIT_DIR: this.repo }, input, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
    return done.stdout;
  }

  protected number(): number {
    this.made += 1;
    return this.made;
  }

  protected blame(id: number, reason: string): void {
    this.causes.set(id, (this.causes.get(id) ?? new Set()).add(reason));
  }

  protected note(line: string): void {
    this.trace.push(line);
  }

  protected expect(holds: boolean, what: string): void {
    if (!holds) throw new Error(`project ${this.projectId}: ${what}\n  ${this.trace.join('\n  ')}`);
  }
}

/** The cars whose commits lead from one commit to another, in order; undefined when there are none. */
export function chainOf<C extends Pick<CarRow, 'sha' | 'onto_sha'>>(
  cars: readonly C[],
  from: string,
  to: string,
): C[] | undefined {
  const chain: C[] = [];
  for (let at = to; at !== from; ) {
    const car = cars.find(({ sha }) => sha === at);
    if (car?.onto_sha == null || chain.length === cars.length) return undefined;
    chain.unshift(car);
    at = car.onto_sha;
  }
  return chain;
}

/** Input for `git fast-import`: a commit on `parent`. */
export function fastCommit(
  ref: string,
  parent: string | undefined,
  files: Record<string, string>,
  mark: number,
): string {
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
