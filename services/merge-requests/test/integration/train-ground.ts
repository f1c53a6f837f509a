import { type Database, openDatabase, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { service } from '../../src/service';

/** A database for a test file, with a project whose branches may have trains. */
export function trainGround() {
  let database: TestDatabase;
  let db: Database;
  let made = 0;

  beforeAll(async () => {
    database = await testDatabase({ sets: service.migrationSets });
    db = openDatabase({ url: database.url, applicationName: 'test' });
    await db.query(sql`
      insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
      values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false)`);
    await db.query(sql`
      insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
        merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
        only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
        repository_access_level, initialize_with_readme)
      values (1, 1, 'P', 'p', 'private', 'main', false, false, 1, 'merge', 'default_off', false, false, false, false, true,
        true, 'enabled', false)`);
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
  });

  return {
    get db() {
      return db;
    },

    /** A train of a branch of its own. */
    async train(createdAt = new Date('2026-01-01T00:00:00Z')): Promise<{ id: number; branch: string }> {
      made += 1;
      const branch = `branch-${made}`;
      const row = await db.one<{ id: number }>(sql`
        insert into merge_trains (project_id, target_branch, created_at) values (1, ${branch}, ${createdAt}) returning id`);
      return { id: row!.id, branch };
    },

    /** A merge request, and its car on a train. */
    async car(
      train: { id: number; branch: string },
      createdAt: Date,
    ): Promise<{ id: number; mergeRequestId: number; iid: number; createdAt: Date; sha: string }> {
      made += 1;
      const sha = String(made).padStart(40, '0');
      const row = await db.one<{ id: number; mergeRequestId: number }>(sql`
        with mr as (
          insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title)
          values (${made}, 1, 1, ${`source-${made}`}, ${train.branch}, 3, ${`Change ${made}`}) returning id)
        insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
          remove_source_branch, created_at)
        select ${train.id}, 1, ${train.branch}, id, 3, ${sha}, false, false, ${createdAt} from mr
        returning id, merge_request_id as "mergeRequestId"`);
      return { ...row!, iid: made, createdAt, sha };
    },

    /** Rows of a table of a train, by id or name. */
    rows: <T = Record<string, unknown>>(query: Parameters<Tx['query']>[0]): Promise<T[]> => db.query<T>(query),
  };
}
