import { AppError, forbidden, invalid, notFound } from '@switchyard/errors';
import { applyCommit, branchNameOf, branchRef, type Commit, readCommit, readRefs, resolveRevision } from '../../git';
import { pickedMessage, pickRefusal } from '../domain/picked-commit';
import { mayPush, mayPushTo, nobody } from '../domain/protected-branch';
import type { CommitFilesEdges } from './commit-files';
import { inTurn } from './in-turn';
import type { RepositoryActor } from './manage-branches';

/** A commit to apply to a branch, or to take back there. */
export interface PickCommand {
  readonly kind: 'cherry-pick' | 'revert';
  /** Branch, tag or sha. */
  readonly sha: string;
  readonly branch: string;
  /** Only try: nothing is written to the branch. */
  readonly dryRun: boolean;
  /** Empty for the usual one. */
  readonly message: string;
}

/** Tries to get a commit onto a branch that others commit to at the same time. */
const tries = 5;

/**
 * Applies a commit to a branch, or takes it back there, in a commit of its own; undefined for a dry run that would
 * succeed. Of two writers at once the later builds on the earlier.
 * @throws AppError not_found for branch and commit; forbidden without push right; invalid with GitLab's `error_code`
 *   `conflict` or `empty` (G §10 Repository)
 */
export function pickCommit({ open, changeRefs, protectedBranches, repositories, collaboratesOn }: CommitFilesEdges) {
  const turn = inTurn();

  async function pick(projectId: number, actor: RepositoryActor, wanted: PickCommand): Promise<Commit | undefined> {
    const [{ repo }, rules, self] = await Promise.all([
      open(projectId),
      protectedBranches.all(projectId),
      repositories.committer(actor.userId),
    ]);
    const revision = await resolveRevision(repo, wanted.sha);
    const commit = revision === undefined ? undefined : await readCommit(repo, revision.sha);
    if (commit === undefined) throw notFound('Commit');
    const name = branchNameOf(wanted.branch);
    const ref = name === undefined ? undefined : branchRef(name);
    const headOf = async () => (ref === undefined ? undefined : (await readRefs(repo, [ref])).get(ref)?.sha);
    let head = await headOf();
    if (ref === undefined || head === undefined) throw notFound('Branch');
    const own = mayPush(rules, wanted.branch, actor.access);
    if (!own && !mayPushTo(rules, wanted.branch, nobody, await collaboratesOn(projectId, actor.userId))) {
      throw forbidden('You are not allowed to push into this branch');
    }
    for (let tried = 1; ; tried += 1) {
      const applied = await applyCommit(repo, {
        commit: commit.id,
        onto: head,
        reverted: wanted.kind === 'revert',
        committer: { name: self.name, email: self.email, date: new Date() },
        message: wanted.message.trim() === '' ? pickedMessage(wanted.kind, commit) : wanted.message,
      });
      if (!applied.ok) {
        throw new AppError('invalid', { message: pickRefusal(wanted.kind), error_code: applied.reason });
      }
      if (wanted.dryRun) return undefined;
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref, before: head, after: applied.sha }],
      });
      if (outcome?.status === 'moved') {
        const made = await readCommit(repo, applied.sha);
        if (made === undefined) throw notFound('Commit');
        return made;
      }
      head = await headOf();
      if (head === undefined) throw notFound('Branch');
      if (tried >= tries) throw invalid(outcome?.reason ?? 'The branch has changed meanwhile.');
    }
  }

  return (projectId: number, actor: RepositoryActor, wanted: PickCommand): Promise<Commit | undefined> =>
    turn(`${projectId} ${wanted.branch}`, () => pick(projectId, actor, wanted));
}

/** What `pickCommit` gives. */
export type PickCommit = ReturnType<typeof pickCommit>;
