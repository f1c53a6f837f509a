import { AppError, forbidden, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { CommandNames } from '@switchyard/texts';
import type { Caller } from '../../callers';
import { countCommits, readCommit, readHeads } from '../../git';
import {
  branchOf,
  deletes,
  type PushedOptions,
  type RefChange,
  type RefChangeSubscriber,
  type RepositoryAccess,
  type Say,
} from '../../repositories';
import { isDraftTitle } from '../domain/merge-request';
import { readPushOptions, titleOfPushed, type WantedByPush } from '../domain/push-options';
import { type createMergeRequest, unrelated } from './create-merge-request';
import type { mergeMergeRequest } from './merge-merge-request';
import type { MergeRequestEdges } from './merge-request.edges';
import { bringSource, isAcross, readSource } from './source-branch';
import type { updateMergeRequest } from './update-merge-request';

faultPoints.push('push_option.opened', 'push_option.changed', 'push_option.carried_out');

/** A merge request from the pushed branch. */
export interface PushedMergeRequest {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly targetBranch: string;
  readonly open: boolean;
  /** Head for which auto-merge is set; null without. */
  readonly autoMergeSha: string | null;
}

/** What carrying out push options needs beside the use cases. */
export interface PushOptionEdges {
  /**
   * Merge requests from a branch, newest first, that are open, or were opened, merged or closed since `since`; see
   * storage/push-option.store.ts.
   */
  readonly fromBranch: (projectId: number, branch: string, since: Date) => Promise<readonly PushedMergeRequest[]>;
  readonly names: Pick<CommandNames, 'users' | 'milestones'>;
}

/** The use cases that options ask for, on the repositories that come with a change. */
export interface PushOptionUseCases {
  readonly edges: Pick<
    MergeRequestEdges,
    'directory' | 'isHere' | 'jobs' | 'openRepository' | 'readHead' | 'bringCommit'
  >;
  readonly create: ReturnType<typeof createMergeRequest>;
  readonly update: ReturnType<typeof updateMergeRequest>;
  readonly merge: ReturnType<typeof mergeMergeRequest>;
}

/** Failures after which the same may succeed. */
const transient: readonly string[] = ['unavailable', 'internal', 'request_timeout', 'rate_limited'];

/** Why something was refused, in the words of its error. */
function wordsOf({ message, error }: Record<string, unknown>): string {
  const said = message ?? error;
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return said.join(', ');
  return Object.entries((said ?? {}) as Record<string, unknown>)
    .map(([field, texts]) => `${field} ${Array.isArray(texts) ? texts.join(', ') : String(texts)}`)
    .join('; ');
}

/**
 * Carries out the options that a branch was pushed with: opens its merge request or changes the open one, and merges
 * it or sets auto-merge. It runs after the push, in the name of its sender, with the rights they have then; what is
 * refused is told and never tried again. Idempotent: a merge request that was opened, merged or closed since the push
 * was requested is its own, and is not opened twice.
 */
export const followPushOptions = (
  { fromBranch, names }: PushOptionEdges,
  useCasesOn: (repositories: RepositoryAccess) => PushOptionUseCases,
): RefChangeSubscriber => {
  async function people(written: readonly string[], say: Say): Promise<number[]> {
    const bare = [...new Set(written.map((name) => name.replace(/^@/, '')))];
    const named = bare.filter((name) => !/^\d+$/.test(name));
    const users = await names.users(named);
    return bare.flatMap((name) => {
      if (/^\d+$/.test(name)) return Number.isSafeInteger(Number(name)) ? [Number(name)] : [];
      const id = users.get(name.toLowerCase())?.id;
      if (id === undefined) say(`There is no user '${name}'.`);
      return id === undefined ? [] : [id];
    });
  }

  /** What the options name, as ids. */
  async function resolved(projectId: number, wanted: WantedByPush, say: Say) {
    const { milestone } = wanted;
    const [found] = milestone === undefined ? [] : await names.milestones(projectId, milestone.normalize());
    if (milestone !== undefined && found === undefined) say(`There is no milestone '${milestone}'.`);
    return {
      milestoneId: found?.id,
      assigned: await people(wanted.assign, say),
      unassigned: await people(wanted.unassign, say),
    };
  }

  async function defaultTitle(
    edges: PushOptionUseCases['edges'],
    { projectId, branch, into, target }: { projectId: number; branch: string; into: number; target: string },
  ): Promise<{ title: string; description: string | undefined }> {
    const { repo } = await edges.openRepository(into);
    const from = { projectId: into, sourceProjectId: projectId, sourceBranch: branch };
    const [head, heads] = await Promise.all([readSource(edges, from), readHeads(repo, [target])]);
    const base = heads.get(target);
    if (head !== undefined && base !== undefined && isAcross(from)) await bringSource(edges, from, head);
    if (head === undefined || base === undefined)
      return { title: titleOfPushed(branch, undefined), description: undefined };
    const commits = await countCommits(repo, { from: [head], not: [base], cap: 2 });
    const only = commits === 1 ? await readCommit(repo, head) : undefined;
    return {
      title: titleOfPushed(branch, only?.title),
      description: only?.message.slice(only.title.length).trim() || undefined,
    };
  }

  /** The project into which a merge request is to be opened. */
  async function targetOf(
    { directory }: PushOptionUseCases['edges'],
    caller: Caller,
    projectId: number,
    wanted: WantedByPush,
  ): Promise<number> {
    const into =
      wanted.targetProject === undefined
        ? ((await directory.upstreamOf(caller, projectId)) ?? projectId)
        : await directory.projectIdByPath(wanted.targetProject);
    // One that the sender does not see is refused in the same words, before anything of it is read.
    if (into === undefined) throw notFound('Project');
    if (into !== projectId) {
      const known = await directory.target(caller, { projectId: into, sourceProjectId: projectId });
      if (known === undefined) throw notFound('Project');
      if (!known.related) throw unrelated();
      if (!known.opens) throw forbidden();
    }
    return into;
  }

  async function open(
    useCases: PushOptionUseCases,
    caller: Caller,
    { projectId, branch, wanted, into }: { projectId: number; branch: string; wanted: WantedByPush; into: number },
    say: Say,
  ): Promise<number> {
    const target = wanted.target ?? (await useCases.edges.openRepository(into)).defaultBranch;
    const standing = await defaultTitle(useCases.edges, { projectId, branch, into, target });
    const title = wanted.title ?? standing.title;
    const { milestoneId, assigned, unassigned } = await resolved(into, wanted, say);
    const created = await useCases.create(caller, {
      projectId,
      targetProjectId: into,
      sourceBranch: branch,
      targetBranch: target,
      title: wanted.draft && !isDraftTitle(title) ? `Draft: ${title}` : title,
      description: wanted.description ?? standing.description,
      assigneeIds: assigned.filter((id) => !unassigned.includes(id)),
      reviewerIds: [],
      labels: wanted.label.filter((label) => !wanted.unlabel.includes(label)),
      milestoneId,
      removeSourceBranch: wanted.removeSourceBranch || undefined,
      squash: wanted.squash || undefined,
      allowCollaboration: false,
    });
    return created.id;
  }

  async function change(
    useCases: PushOptionUseCases,
    caller: Caller,
    found: PushedMergeRequest,
    wanted: WantedByPush,
    say: Say,
  ): Promise<void> {
    const { projectId, iid } = found;
    const { milestoneId, assigned, unassigned } = await resolved(projectId, wanted, say);
    const title = wanted.title ?? (wanted.draft ? found.title : undefined);
    await useCases.update(
      caller,
      { projectId, iid },
      {
        title: title !== undefined && wanted.draft && !isDraftTitle(title) ? `Draft: ${title}` : title,
        description: wanted.description,
        targetBranch: wanted.target,
        addAssigneeIds: assigned,
        removeAssigneeIds: unassigned,
        addLabels: wanted.label,
        removeLabels: wanted.unlabel,
        milestoneId,
        removeSourceBranch: wanted.removeSourceBranch || undefined,
        squash: wanted.squash || undefined,
      },
    );
  }

  async function carryOut(
    useCases: PushOptionUseCases,
    pushed: RefChange,
    { branch, wanted, options }: { branch: string; wanted: WantedByPush; options: PushedOptions },
    say: Say,
  ): Promise<void> {
    const { projectId, actorId, after, createdAt } = pushed;
    const { edges } = useCases;
    const callerIn = async (id: number): Promise<Caller> => {
      const { level, admin } = await edges.directory.accessOf(actorId, id);
      const { username, external, tier, requestId } = options;
      return { userId: actorId, username, admin, external, level, tier, requestId };
    };
    const { targetProject } = wanted;
    const named = targetProject === undefined ? undefined : await edges.directory.projectIdByPath(targetProject);
    const among = (await fromBranch(projectId, branch, createdAt)).filter(
      (one) => targetProject === undefined || one.projectId === named,
    );
    const opened = among.filter((one) => one.open);
    let found = opened.find(({ targetBranch }) => targetBranch === wanted.target) ?? opened[0];
    if (found === undefined && among.length > 0) return;
    const into =
      found?.projectId ??
      (wanted.create ? await targetOf(edges, await callerIn(projectId), projectId, wanted) : projectId);
    if (!(await edges.isHere(into))) {
      await edges.jobs.enqueue([{ kind: 'push_options', projectId: into, changeId: pushed.id, change: pushed }]);
      say(`What the push options ask for ${branch} is done in a moment.`);
      return;
    }
    if (found !== undefined) {
      await change(useCases, await callerIn(found.projectId), found, wanted, say);
      faultPoint('push_option.changed');
    } else if (wanted.create) {
      const id = await open(useCases, await callerIn(projectId), { projectId, branch, wanted, into }, say);
      faultPoint('push_option.opened');
      found = (await fromBranch(projectId, branch, createdAt)).find((one) => one.id === id);
    } else {
      say(`The push option merge_request.create is required to open a merge request for ${branch}.`);
    }
    if (wanted.autoMerge && found !== undefined && found.autoMergeSha !== after) {
      const { iid } = found;
      await useCases.merge(
        await callerIn(found.projectId),
        { projectId: found.projectId, iid },
        {
          autoMerge: true,
          sha: after,
          squash: wanted.squash || undefined,
          removeSourceBranch: wanted.removeSourceBranch || undefined,
          mergeCommitMessage: undefined,
          squashCommitMessage: undefined,
        },
      );
    }
    faultPoint('push_option.carried_out');
  }

  return {
    async afterRefChange(change, repositories, say) {
      const branch = branchOf(change.ref);
      const { options } = change;
      if (options === undefined || branch === undefined || deletes(change)) return;
      const { wanted } = readPushOptions(options.values);
      if (wanted === undefined) return;
      try {
        await carryOut(useCasesOn(repositories), change, { branch, wanted, options }, say);
      } catch (error) {
        if (!(error instanceof AppError) || transient.includes(error.kind)) throw error;
        say(`What the push options ask for ${branch} was refused: ${wordsOf(error.body)}`);
      }
    },
  };
};

/** The job that does it where the merge request is, for a process that has the branch alone. No one hears of refusals. */
export const resumePushOptions =
  (follower: RefChangeSubscriber, repositories: RepositoryAccess) =>
  (change: RefChange): Promise<void> =>
    // Dates are text in the queue.
    follower.afterRefChange({ ...change, createdAt: new Date(change.createdAt) }, repositories, () => undefined);
