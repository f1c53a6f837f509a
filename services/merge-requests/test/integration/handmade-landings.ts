import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { Sha } from '../../src/git';
import {
  type LandingVerdict,
  landingVerifier,
  type ReceiptCheck,
} from '../../src/merge-trains/application/verify-landings';
import type { LandingMethod } from '../../src/merge-trains/domain/landing-receipt';
import { landingReceiptStore } from '../../src/merge-trains/storage/landing-receipt.store';
import { service } from '../../src/service';
import { Workshop } from '../git/support/workshop';

/** The project whose landings are made. */
export const projectId = 42;
const clock = () => new Date('2024-03-02T00:00:00Z');

/** A text of 22 lines, so that changes of the first and of the last do not meet. */
export const lines = (first: string, last: string) =>
  `${[first, ...Array.from({ length: 20 }, (_, at) => `line ${at}`), last].join('\n')}\n`;

/** A receipt as it is written by hand. */
export interface Row {
  method: LandingMethod;
  squash: boolean;
  head: string;
  base: string;
  landed: string;
  landedTree: string;
  tested: string | null;
  testedTree: string | null;
  merge: string | null;
  squashed: string | null;
  statuses: { id: number; name: string; status: string; allow_failure: boolean; finished_at: string | null }[];
  required: string[];
  pipelineId: number | null;
  pipelineStatus: string | null;
  landedAt: Date;
  targetBranch: string;
  /** Default: one that no other receipt has. */
  iid?: number;
  batch?: number[];
  reruns?: number;
}

/** The newest report of a name, in a receipt. */
export const report = (name: string, status = 'success', id = 1) => ({
  id,
  name,
  status,
  allow_failure: false,
  finished_at: '2024-03-01T10:00:00.000Z',
});

/** A repository and a database of its own for each test of a file, and landings made by the git client alone. */
export function handmadeLandings() {
  let database: TestDatabase;
  let db: Database;
  let shop: Workshop;
  let bare: Workshop['repo'];

  beforeAll(async () => {
    database = await testDatabase({
      sets: service.migrationSets,
    });
    db = openDatabase({ url: database.url, applicationName: 'verifier test' });
    await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false)`);
    await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme)
    values (${projectId}, 1, 'P', 'p', 'private', 'main', false, false, 1, 'merge', 'default_off', false, false,
      false, false, true, true, 'enabled', false)`);
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
  });
  beforeEach(async () => {
    await db.query(
      sql`truncate landing_receipts, landing_verifications, pipelines, commit_statuses, ref_change_intents restart identity cascade`,
    );
    await db.query(sql`update directory.projects set deleting = false`);
    shop = await Workshop.open();
    bare = shop.repo;
  });
  afterEach(() => shop?.close());

  /** A base that moved on after two commits had left it, both sides changing the same file. */
  function history() {
    const fork = shop.commit('Start', { 'shared.txt': lines('first', 'last'), 'kept.txt': 'kept' });
    shop.git('checkout', '-q', '-b', 'feature');
    shop.commit('One', { 'shared.txt': lines('FIRST', 'last'), 'feature/one.txt': 'one' });
    const head = shop.commit('Two\n\nwith a body', { 'feature/two.txt': 'two', 'kept.txt': undefined });
    shop.git('checkout', '-q', 'main');
    const base = shop.commit('Main goes on', { 'shared.txt': lines('first', 'LAST') });
    return { fork, head, base };
  }

  const tree = (sha: string): Sha => shop.git('rev-parse', `${sha}^{tree}`) as Sha;

  /** Lands with the git client alone, as the method asks, moves main and says what a receipt would. */
  function land(method: LandingMethod, squash: boolean, made = history()): Row {
    const { fork, head, base } = made;
    let tip: Sha = head;
    let squashed: Sha | null = null;
    if (squash) {
      shop.git('checkout', '-q', '--detach', fork);
      shop.git('merge', '--squash', '-q', head);
      shop.git('commit', '-q', '-m', 'Squashed');
      tip = shop.head();
      squashed = tip;
    }
    if (method !== 'merge') {
      shop.git('checkout', '-q', '--detach', tip);
      shop.git('rebase', '-q', '--onto', base, fork);
      tip = shop.head();
      if (squash) squashed = tip;
    }
    let landed = tip;
    if (method !== 'ff') {
      shop.git('checkout', '-q', '--detach', base);
      shop.git('merge', '-q', '--no-ff', '-m', 'Merge feature into main', tip);
      landed = shop.head();
    }
    shop.git('checkout', '-q', '-B', 'main', landed);
    shop.publish();
    return {
      method,
      squash,
      head,
      base,
      landed,
      landedTree: tree(landed),
      tested: landed,
      testedTree: tree(landed),
      merge: method === 'ff' ? null : landed,
      squashed,
      statuses: [report('ci')],
      required: [],
      pipelineId: 7,
      pipelineStatus: 'success',
      landedAt: new Date('2024-03-01T12:00:00Z'),
      targetBranch: 'main',
    };
  }

  let written = 0;
  async function write(row: Row, project = projectId): Promise<number> {
    written += 1;
    const [made] = await db.query<{ id: number }>(sql`
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha, base_sha,
      tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree, merge_commit_sha,
      squash_commit_sha, added_by_id, boarded_at, landed_at, batch_iids, reruns)
    values (${project}, ${written}, ${row.iid ?? written}, ${written}, ${row.targetBranch}, ${row.method}, ${row.squash}, ${row.head}, ${row.base},
      ${row.tested}, ${row.testedTree}, ${row.pipelineId}, ${row.pipelineStatus}, ${JSON.stringify(row.statuses)}::jsonb, ${row.required}::text[],
      ${row.landed}, ${row.landedTree}, ${row.merge}, ${row.squashed}, 1, ${row.landedAt}, ${row.landedAt},
      ${row.batch ?? []}::bigint[], ${row.reruns ?? 0})
    returning id`);
    return made!.id;
  }

  async function look(which: ReceiptCheck = 'unverified', limit?: number): Promise<LandingVerdict[]> {
    const verifier = landingVerifier({ receipts: landingReceiptStore(db), repositoryOf: async () => bare, clock });
    const verdicts: LandingVerdict[] = [];
    for await (const verdict of verifier.verify(which, limit)) verdicts.push(verdict);
    return verdicts;
  }

  /** What is said of one landing. */
  async function said(row: Row): Promise<readonly string[]> {
    await write(row);
    const [verdict] = await look();
    return verdict!.differences;
  }

  return {
    get databaseUrl() {
      return database.url;
    },
    get db() {
      return db;
    },
    get shop() {
      return shop;
    },
    /** Where the verifier opens the repository. */
    get bare() {
      return bare;
    },
    set bare(repo) {
      bare = repo;
    },
    async anew() {
      shop.close();
      shop = await Workshop.open();
      bare = shop.repo;
    },
    history,
    tree,
    land,
    write,
    look,
    said,
  };
}
