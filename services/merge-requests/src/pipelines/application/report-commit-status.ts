import { badRequest, forbidden, invalid, invalidParams, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  branchNameOf,
  type Repository,
  readCommit,
  refNameOf,
  refsContaining,
  resolveRevision,
  type Sha,
  tagNameOf,
} from '../../git';
import { branchOf, developer, mayPush } from '../../repositories';
import type { CommitStatusView } from '../domain/pipeline';
import { defaultStatusName, shortRef } from '../domain/pipeline';
import type { CommitStatusState } from '../domain/pipeline-status';
import type { PipelineEdges } from './pipeline.edges';
import { mayDecideOn } from './pipeline-right';

/** A report of an outside CI. */
export interface ReportCommand {
  readonly projectId: number;
  readonly revision: string;
  readonly state: CommitStatusState;
  readonly ref: string | undefined;
  readonly name: string | undefined;
  readonly targetUrl: string | undefined;
  readonly description: string | undefined;
  readonly coverage: number | undefined;
  readonly pipelineId: number | undefined;
}

const maxText = 255;

function checkTexts({ name, targetUrl, description, coverage }: ReportCommand): void {
  const problems: Record<string, string[]> = {};
  const tooLong = `is too long (maximum is ${maxText} characters)`;
  if (name !== undefined && [...name].length > maxText) problems.name = [tooLong];
  if (description !== undefined && [...description].length > maxText) problems.description = [tooLong];
  if (targetUrl !== undefined && targetUrl !== '') {
    if ([...targetUrl].length > maxText) problems.target_url = [tooLong];
    else if (!/^https?:\/\/[^\s]+$/i.test(targetUrl)) {
      problems.target_url = ['is blocked: Only allowed schemes are http, https'];
    }
  }
  if (coverage !== undefined && (coverage < 0 || coverage > 100)) problems.coverage = ['must be between 0 and 100'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** True for the name of a branch or tag, short or in full, and for other refs in full. */
function isRefName(text: string): boolean {
  const short = shortRef(text);
  if (short !== text) return branchNameOf(short) !== undefined;
  return (text.startsWith('refs/') ? refNameOf(text) : (branchNameOf(text) ?? tagNameOf(text))) !== undefined;
}

/** Whether a user may report on `ref`: on a protected branch those who may push to it (for a train ref see D8). */
async function mayReportOn(
  edges: PipelineEdges,
  caller: Caller,
  projectId: number,
  { ref, tag }: { readonly ref: string; readonly tag: boolean },
): Promise<boolean | undefined> {
  if (tag || ref.startsWith('refs/')) return mayDecideOn(edges, caller, projectId, ref);
  return mayPush(await edges.protectedBranches.all(projectId), ref, caller);
}

/** The ref a report without one is about: that of the commit's newest pipeline, else a branch that holds the commit. */
async function refOf(
  edges: PipelineEdges,
  repo: Repository,
  projectId: number,
  sha: Sha,
  defaultBranch: string,
): Promise<{ ref: string; tag: boolean }> {
  const known = await edges.pipelines.refOfCommit(projectId, sha);
  if (known !== undefined) return known;
  const branches = (await refsContaining(repo, sha, 'branch')).flatMap((ref) => branchOf(ref) ?? []);
  const ref = branches.includes(defaultBranch) ? defaultBranch : branches[0];
  if (ref === undefined) throw notFound('References for commit');
  return { ref, tag: false };
}

/** Takes the report of an outside CI (D8). Refusals are those of the proto. */
export const reportCommitStatus =
  (edges: PipelineEdges) =>
  async (caller: Caller, command: ReportCommand): Promise<CommitStatusView> => {
    if (caller.level < developer) throw forbidden();
    checkTexts(command);
    if (command.ref !== undefined && !isRefName(command.ref)) throw invalidParams('ref is invalid');
    const { projectId } = command;
    const { repo, defaultBranch } = await edges.openRepository(projectId);
    const given =
      command.pipelineId === undefined ? undefined : await edges.pipelines.find(projectId, command.pipelineId);
    // What a pipeline was made for is known to be a commit: git need not be read.
    const commit =
      given?.pipeline.sha === command.revision
        ? { id: given.pipeline.sha as Sha, committedAt: given.pipeline.committedAt }
        : await commitOf(repo, command.revision);
    if (commit === undefined) throw notFound('Commit');
    if (command.pipelineId !== undefined && given === undefined) throw notFound('Pipeline');
    const where =
      given !== undefined
        ? { ref: given.pipeline.ref, tag: given.pipeline.tag }
        : command.ref === undefined
          ? await refOf(edges, repo, projectId, commit.id, defaultBranch)
          : {
              ref: shortRef(command.ref),
              tag: command.ref.startsWith('refs/tags/') || (await isTag(repo, command.ref)),
            };
    const right = await mayReportOn(edges, caller, projectId, where);
    if (right === undefined) throw notFound('Pipeline');
    if (!right) throw forbidden();
    const outcome = await edges.pipelines.report(
      {
        projectId,
        sha: commit.id,
        ...where,
        name: command.name || defaultStatusName,
        state: command.state,
        targetUrl: command.targetUrl,
        description: command.description,
        coverage: command.coverage,
        pipelineId: command.pipelineId,
        userId: caller.userId,
      },
      commit.committedAt,
      edges.clock(),
    );
    if (outcome === 'no pipeline') throw notFound('Pipeline');
    if ('from' in outcome) throw badRequest(`Cannot transition status from ${outcome.from} to ${command.state}`);
    const view = await edges.pipelines.statusView(outcome.id);
    if (view === undefined) throw notFound();
    return view;
  };

async function commitOf(repo: Repository, text: string): Promise<{ id: Sha; committedAt: Date } | undefined> {
  const revision = await resolveRevision(repo, text);
  return revision && readCommit(repo, revision.sha);
}

async function isTag(repo: Repository, ref: string): Promise<boolean> {
  return (await resolveRevision(repo, ref))?.kind === 'tag';
}
