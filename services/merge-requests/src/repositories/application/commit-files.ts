import { forbidden, invalid, notFound } from '@switchyard/errors';
import { displayTextProblems, isEmailAddress } from '@switchyard/texts';
import {
  branchNameOf,
  branchRef,
  type Commit,
  type FileAction,
  getBranch,
  listRefs,
  type Repository,
  readCommit,
  readRefs,
  resolveRevision,
  type Sha,
  shaOf,
  commitFiles as writeFiles,
  zeroSha,
} from '../../git';
import { mayBegin } from '../domain/default-protection';
import { allowsForcePush, mayPush, mayPushTo, nobody, type ProtectedBranch } from '../domain/protected-branch';
import type { CollaboratesOn } from './collaboration';
import { inTurn } from './in-turn';
import type { RepositoryActor } from './manage-branches';
import type { OpenProjectRepository, Repositories } from './open-project-repository';
import type { ChangeRefs } from './ref-change';

/** One change of a file, as a caller wrote it. */
export interface FileActionInput {
  readonly action: string;
  readonly filePath: string;
  readonly previousPath: string;
  /** Undefined keeps the content of a moved file. */
  readonly content: Buffer | undefined;
  /** Empty when not checked. */
  readonly lastCommitId: string;
  readonly executable: boolean | undefined;
}

/** A commit to make on a branch. Empty texts mean "not given". */
export interface NewCommitInput {
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly FileActionInput[];
  readonly startBranch: string;
  readonly startSha: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /** Overwrites the branch with a commit on the start. */
  readonly force: boolean;
}

/** What making commits needs. */
export interface CommitFilesEdges {
  readonly open: OpenProjectRepository;
  readonly changeRefs: ChangeRefs;
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  readonly repositories: Pick<Repositories, 'committer'>;
  readonly collaboratesOn: CollaboratesOn;
}

/** Tries to get a commit onto a branch that others commit to at the same time. */
const tries = 5;

const changedSince = 'You are attempting to update a file that has changed since you started editing it.';

function actionOf(wanted: FileActionInput): FileAction {
  const { filePath: path, executable } = wanted;
  const lastCommit = wanted.lastCommitId === '' ? undefined : shaOf(wanted.lastCommitId);
  // An id that is none cannot be the file's last commit.
  if (wanted.lastCommitId !== '' && lastCommit === undefined) throw invalid(changedSince);
  const content = wanted.content ?? Buffer.alloc(0);
  switch (wanted.action) {
    case 'create':
      return { action: 'create', path, content, executable };
    case 'update':
      return { action: 'update', path, content, lastCommit, executable };
    case 'delete':
      return { action: 'delete', path, lastCommit };
    case 'move':
      if (wanted.previousPath === '') throw invalid('You must provide a previous path');
      return {
        action: 'move',
        path,
        previousPath: wanted.previousPath,
        content: wanted.content,
        lastCommit,
        executable,
      };
    case 'chmod':
      return { action: 'chmod', path, executable: executable ?? false, lastCommit };
    default:
      throw invalid(`Unknown action '${wanted.action}'`);
  }
}

/** Refuses an author whom a commit cannot name as they are: git would leave out what it cannot write. */
function checkAuthor({ authorName, authorEmail }: NewCommitInput): void {
  if (authorEmail !== '' && !isEmailAddress(authorEmail)) throw invalid('author_email is invalid');
  if (authorName !== '' && (displayTextProblems(authorName).length > 0 || /[<>]/.test(authorName)))
    throw invalid('author_name is invalid');
}

interface Start {
  /** What the branch must point at. */
  readonly before: Sha;
  /** What the commit builds on; undefined makes the first commit of an empty repository. */
  readonly parent: Sha | undefined;
}

/**
 * Makes a commit of file actions and moves the branch to it; of two writers at once the later builds on the earlier.
 */
export function commitFiles({ open, changeRefs, protectedBranches, repositories, collaboratesOn }: CommitFilesEdges) {
  const turn = inTurn();

  async function startOf(repo: Repository, wanted: NewCommitInput): Promise<Start> {
    const name = branchNameOf(wanted.branch);
    if (name === undefined) throw invalid('Branch name is invalid');
    const ref = branchRef(name);
    const current = (await readRefs(repo, [ref])).get(ref)?.sha;
    const named = wanted.startSha !== '' ? wanted.startSha : wanted.startBranch;
    const sameBranch = wanted.startSha === '' && wanted.startBranch === wanted.branch;
    if (named === '' || sameBranch) {
      if (current !== undefined) return { before: current, parent: current };
      if ((await listRefs(repo, ['refs/heads/'])).length === 0) return { before: zeroSha, parent: undefined };
      if (named === '') throw invalid('You can only create or edit files when you are on a branch');
    }
    if (current !== undefined && !wanted.force) {
      throw invalid(`A branch called '${name}' already exists. Switch to that branch in order to make changes`);
    }
    const start = await resolveRevision(repo, named);
    if (start === undefined || (wanted.startSha !== '' && start.kind !== 'commit')) {
      throw invalid(
        wanted.startSha === '' ? `Cannot find start_branch '${named}'` : `Cannot find start_sha '${named}'`,
      );
    }
    return { before: current ?? zeroSha, parent: start.sha };
  }

  async function commit(
    projectId: number,
    actor: RepositoryActor,
    wanted: NewCommitInput,
    withStats: boolean,
  ): Promise<Commit> {
    const [{ repo, project }, rules, self] = await Promise.all([
      open(projectId),
      protectedBranches.all(projectId),
      repositories.committer(actor.userId),
    ]);
    const own = mayBegin(project, actor.access) && mayPush(rules, wanted.branch, actor.access);
    if (!own && !mayPushTo(rules, wanted.branch, nobody, await collaboratesOn(projectId, actor.userId))) {
      throw forbidden('You are not allowed to push into this branch');
    }
    checkAuthor(wanted);
    const actions = wanted.actions.map(actionOf);
    for (let tried = 1; ; tried += 1) {
      const { before, parent } = await startOf(repo, wanted);
      if (!own && before === zeroSha) throw forbidden('You are not allowed to push into this branch');
      const rewrites = before !== zeroSha && parent !== before;
      if (rewrites && !allowsForcePush(rules, wanted.branch)) {
        throw forbidden('You are not allowed to force push into this branch');
      }
      const date = new Date();
      const after = await writeFiles(repo, {
        parent,
        actions,
        author: { name: wanted.authorName || self.name, email: wanted.authorEmail || self.email, date },
        committer: { name: self.name, email: self.email, date },
        message: wanted.message,
      });
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref: `refs/heads/${wanted.branch}`, before, after }],
      });
      if (outcome?.status === 'moved') {
        const made = await readCommit(repo, after, { withStats });
        if (made === undefined) throw notFound('Commit');
        return made;
      }
      const taken = await getBranch(repo, branchNameOf(wanted.branch) ?? ('' as never));
      if (tried >= tries || taken === undefined) throw invalid(outcome?.reason ?? 'The branch has changed meanwhile.');
    }
  }

  return (
    projectId: number,
    actor: RepositoryActor,
    wanted: NewCommitInput,
    { withStats = false } = {},
  ): Promise<Commit> => turn(`${projectId} ${wanted.branch}`, () => commit(projectId, actor, wanted, withStats));
}

/** What `commitFiles` gives. */
export type CommitFiles = ReturnType<typeof commitFiles>;
