import { forbidden, invalid, notAllowed, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { mergeRequestRef, parseSha, readCommit, resolveRevision } from '../../git';
import { developer, mayMerge } from '../../repositories';
import { type PipelineView, shortRef } from '../domain/pipeline';
import { checkedVariables, type PipelineVariable } from '../domain/pipeline-variable';
import type { PipelineEdges } from './pipeline.edges';

/**
 * Makes a pipeline for a branch or tag; it waits for the reports of an outside CI.
 * @throws AppError invalid when the ref does not exist or a variable cannot be one
 */
export const createPipeline =
  (edges: PipelineEdges) =>
  async (
    caller: Caller,
    projectId: number,
    ref: string,
    given: readonly PipelineVariable[] = [],
  ): Promise<PipelineView> => {
    if (caller.level < developer) throw forbidden();
    const variables = checkedVariables(given);
    const { repo } = await edges.openRepository(projectId);
    const revision = await resolveRevision(repo, ref);
    if (revision === undefined || (revision.kind !== 'branch' && revision.kind !== 'tag')) {
      throw invalid({ base: ['Reference not found'] });
    }
    const rules = await edges.protectedBranches.all(projectId);
    if (revision.kind === 'branch' && !mayMerge(rules, shortRef(revision.ref ?? ref), caller)) {
      throw invalid({
        base: ["You do not have sufficient permission to run a pipeline on '%{ref}'.".replace('%{ref}', ref)],
      });
    }
    const pipeline = {
      projectId,
      sha: revision.sha,
      ref: shortRef(revision.ref ?? ref),
      tag: revision.kind === 'tag',
      source: 'api',
      userId: caller.userId,
      committedAt: (await readCommit(repo, revision.sha))?.committedAt,
    };
    const made = await edges.pipelines.create(pipeline, variables);
    return found(await edges.pipelines.find(projectId, made.id));
  };

/**
 * Makes a pipeline for the head of an open merge request. @throws AppError not_allowed when it is not open or has no
 * commits
 */
export const createMergeRequestPipeline =
  (edges: PipelineEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<PipelineView> => {
    const mergeRequest = await edges.findMergeRequest(key);
    if (mergeRequest === undefined) throw notFound();
    if (caller.level < developer) throw forbidden();
    const { id, iid, sourceSha, open } = mergeRequest;
    if (!open || sourceSha === undefined) throw notAllowed();
    const { repo } = await edges.openRepository(key.projectId);
    const made = await edges.pipelines.create({
      projectId: key.projectId,
      sha: sourceSha,
      ref: mergeRequestRef(iid, 'head'),
      tag: false,
      source: 'merge_request_event',
      userId: caller.userId,
      mergeRequestId: id,
      committedAt: (await readCommit(repo, parseSha(sourceSha)))?.committedAt,
    });
    return found(await edges.pipelines.find(key.projectId, made.id));
  };

function found(view: PipelineView | undefined): PipelineView {
  if (view === undefined) throw notFound('Pipeline');
  return view;
}
