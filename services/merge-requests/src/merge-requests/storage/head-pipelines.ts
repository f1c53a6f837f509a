import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { fullPath } from '@switchyard/directory';
import { enqueueJobs } from '../../jobs';
import type { FindMergeRequest, HeadPipelines } from '../../pipelines';
import { consequencesOfHeadPipeline } from '../domain/change-consequences';
import { publishFacts } from './merge-request.events';
import { readView, toMergeRequest } from './merge-request.row';

/** Merge requests as pipelines find them. */
export const findTestedMergeRequest =
  (db: Database): FindMergeRequest =>
  async (key) => {
    const view = await readView(db, key);
    if (view === undefined) return undefined;
    const { id, iid, sourceProjectId, sourceBranch, targetBranch, sourceSha, state, sourceBranchExists } =
      view.mergeRequest;
    const open = state === 'opened' && sourceBranchExists;
    const projectPath = fullPath(view.project);
    return { id, iid, sourceProjectId, sourceBranch, targetBranch, sourceSha, open, projectPath };
  };

/** Merge requests as followers of their head pipelines. */
export const headPipelines: HeadPipelines = {
  async lockHeads(tx, { projectId, sha, ref, tag, mergeRequestId }) {
    const which =
      mergeRequestId === undefined
        ? sql`source_project_id = ${projectId} and source_branch = ${ref} and ${!tag}`
        : sql`id = ${mergeRequestId}`;
    const rows = await tx.query<{ id: number }>(sql`
      select id from merge_requests where ${which} and source_sha = ${sha} and state in ('opened', 'locked')
      order by id for no key update`);
    return rows.map(({ id }) => id);
  },

  // The newest pipeline of its head is a merge request's head pipeline.
  async become(tx, ids, pipelineId) {
    await tx.query(
      sql`update merge_requests set head_pipeline_id = ${pipelineId} where id = any(${[...ids]}::bigint[])`,
    );
  },

  async changed(tx, change) {
    const rows = await tx.query(sql`
      select * from merge_requests where head_pipeline_id = ${change.pipelineId} and state = 'opened'
      order by id for no key update`);
    const changed = rows.map(toMergeRequest).map((subject) => ({
      subject,
      ...consequencesOfHeadPipeline(subject, change),
    }));
    const { actorId, now: occurredAt } = change;
    await publishFacts(
      tx,
      changed.flatMap(({ subject, facts }) => facts.map((fact) => ({ subject, fact, actorId, occurredAt }))),
    );
    await enqueueJobs(
      tx,
      changed.flatMap(({ jobs }) => jobs),
    );
  },
};
