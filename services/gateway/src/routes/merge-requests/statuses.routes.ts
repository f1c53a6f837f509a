import { CommitStatusServiceService } from '@switchyard/protos/merge_requests/v1/commit_status';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, documented, float, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, webAddress } from '../field-facts';

const commit = { sha: text() };

/** Commit statuses: how an outside CI reports (G §10 Pipelines, D8). */
export const statusRoutes = [
  defineRoute({
    method: 'post',
    path: '/projects/:id/statuses/:sha',
    section: 'Commit statuses',
    summary: 'Set the status of a commit',
    docs: {
      description:
        'Report what an outside CI has found out. The status belongs to the pipeline named, or to the newest one of the commit.',
      example: { state: 'success', name: 'unit tests', pipeline_id: 128 },
    },
    access: { project: 'create_commit_status' },
    tokens: ['job'],
    path_params: commit,
    params: {
      state: oneOf('pending', 'running', 'success', 'failed', 'canceled', 'skipped'),
      ref: text().optional(),
      name: documented(text(), atMost(255)).optional(),
      context: documented(text(), atMost(255)).optional(),
      target_url: documented(text(), webAddress).optional(),
      description: documented(text(), atMost(255)).optional(),
      coverage: documented(float(), { minimum: 0, maximum: 100 }).optional(),
      pipeline_id: integer().optional(),
    },
    relations: [mutuallyExclusive('name', 'context')],
    returns: { 201: 'CommitStatus' },
    handle: ({ params, path, access, call }) =>
      call(CommitStatusServiceService).setCommitStatus({
        projectId: access.id,
        sha: path.sha,
        state: params.state,
        ref: params.ref ?? '',
        name: params.name ?? params.context ?? '',
        targetUrl: params.target_url,
        description: params.description,
        coverage: params.coverage,
        pipelineId: params.pipeline_id ?? 0,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits/:sha/statuses',
    section: 'Commit statuses',
    summary: 'List the statuses of a commit',
    access: { project: 'read_pipeline' },
    tokens: ['job'],
    path_params: commit,
    params: {
      ref: text().optional(),
      stage: text().optional(),
      name: text().optional(),
      all: boolean().default(false),
      pipeline_id: integer().optional(),
    },
    list: { orderBy: ['id', 'pipeline_id'], sort: 'asc' },
    returns: { 200: ['CommitStatus'] },
    handle: ({ params, path, access, page, call }) =>
      call(CommitStatusServiceService).listCommitStatuses({
        projectId: access.id,
        sha: path.sha,
        page,
        ref: params.ref ?? '',
        name: params.name ?? '',
        stage: params.stage ?? '',
        all: params.all,
        pipelineId: params.pipeline_id ?? 0,
      }),
  }),
];
