import { setTimeout } from 'node:timers/promises';
import { forbidden, invalid, notAllowed, notFound } from '@switchyard/errors';
import {
  type Branch,
  type BranchName,
  branchNameOf,
  branchRef,
  createInitialCommit,
  getBranch,
  listBranches,
  listRefs,
  mergedBranches,
  type Page,
  parseBranchName,
  type RefName,
  type RefPage,
  readRefs,
  resolveRevision,
  type Sha,
  zeroSha,
} from '../../git';
import { mayBegin } from '../domain/default-protection';
import { mayPush, type ProjectAccess, type ProtectedBranch } from '../domain/protected-branch';
import { refusalOfRemoval } from '../domain/push';
import type { OpenProjectRepository, ProjectRepository, Repositories } from './open-project-repository';
import type { ChangeRefs } from './ref-change';

/** Looks, and milliseconds between them, at whether the default branch that another caller makes is there: 2 s. */
const begunTries = 40;
const begunEveryMs = 50;

/** Who acts on a repository. */
export interface RepositoryActor {
  readonly userId: number;
  readonly access: ProjectAccess;
}

/** A branch with what shows it. */
export interface BranchViews<T> {
  readonly found: T;
  readonly rules: readonly ProtectedBranch[];
  readonly defaultBranch: string;
  /** Branches merged into the default branch, of those found. */
  readonly merged: ReadonlySet<string>;
}

/** What branches need. */
export interface BranchEdges {
  readonly open: OpenProjectRepository;
  readonly changeRefs: ChangeRefs;
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  readonly repositories: Pick<Repositories, 'committer'>;
  /** Of these names, those that a regular expression matches; see `expressionsInSlices` of libs/patterns. */
  readonly matching: (projectId: number, names: readonly string[], expression: string) => Promise<Set<string>>;
}

/** Branches merged at once by `deleteMerged`; the rest goes with the next call. */
const removedAtOnce = 1_000;

/** Branches: list, get, create, delete. */
export function manageBranches({ open, changeRefs, protectedBranches, repositories, matching }: BranchEdges) {
  const headOf = async ({ repo, defaultBranch }: ProjectRepository): Promise<Sha | undefined> =>
    (await readRefs(repo, [branchRef(defaultBranch)])).get(branchRef(defaultBranch))?.sha;

  async function viewed<T>(opened: ProjectRepository, found: T, names: readonly BranchName[]): Promise<BranchViews<T>> {
    const [rules, head] = await Promise.all([protectedBranches.all(opened.project.id), headOf(opened)]);
    const merged = head === undefined ? new Set<BranchName>() : await mergedBranches(opened.repo, head, names);
    return { found, rules, defaultBranch: opened.defaultBranch, merged };
  }

  async function searched(
    { repo, project }: ProjectRepository,
    place: RefPage,
    regex: string | undefined,
  ): Promise<Page<Branch>> {
    if (regex === undefined) return listBranches(repo, place);
    const refs = await listRefs(repo, ['refs/heads/']);
    const names = refs.map(({ ref }) => ref.slice('refs/heads/'.length));
    const matches = await matching(project.id, names, regex);
    // Names in order; dates would need every commit of a filter that is rarely used.
    const all = names.filter((name) => matches.has(name));
    const start = place.after === undefined ? (place.offset ?? 0) : all.indexOf(place.after) + 1;
    const wanted = all.slice(start, start + (place.limit ?? 20));
    const items = await Promise.all(wanted.map((name) => getBranch(repo, name as BranchName)));
    const next = start + wanted.length < all.length ? wanted.at(-1) : undefined;
    return { items: items.filter((branch) => branch !== undefined), total: all.length, next };
  }

  async function get(projectId: number, branch: string): Promise<BranchViews<Branch>> {
    const opened = await open(projectId);
    const name = branchNameOf(branch);
    const found = name === undefined ? undefined : await getBranch(opened.repo, name);
    if (found === undefined) throw notFound('Branch');
    return viewed(opened, found, [found.name]);
  }

  /**
   * Gives an empty repository its default branch where `ref` names it; of two concurrent callers one does. Returns
   * whether this call did.
   */
  async function begin(
    { repo, project, defaultBranch }: ProjectRepository,
    { userId, access }: RepositoryActor,
    ref: string,
    rules: readonly ProtectedBranch[],
  ): Promise<boolean> {
    const first = branchRef(defaultBranch);
    if (ref !== defaultBranch && ref !== first && ref !== 'HEAD') return false;
    if ((await listRefs(repo, ['refs/heads/'])).length > 0) return false;
    if (!mayBegin(project, access) || !mayPush(rules, defaultBranch, access)) {
      throw forbidden(`You are not allowed to create the protected branch '${defaultBranch}' on this project.`);
    }
    const { name, email } = await repositories.committer(userId);
    const signature = { name, email, date: new Date() };
    const after = await createInitialCommit(repo, { readme: '', author: signature, committer: signature });
    const updates = [{ ref: first, before: zeroSha, after }];
    const [outcome] = await changeRefs({ projectId: project.id, actorId: userId, source: 'api', updates });
    if (outcome?.status === 'moved') return true;
    // Another caller makes it. Its intent is committed before its ref is there, which is what `ref` needs.
    for (let tried = 0; tried < begunTries && (await listRefs(repo, ['refs/heads/'])).length === 0; tried += 1) {
      await setTimeout(begunEveryMs);
    }
    return false;
  }

  async function removable(opened: ProjectRepository, actor: RepositoryActor) {
    const rules = await protectedBranches.all(opened.project.id);
    const context = { rules, access: actor.access, defaultBranch: opened.defaultBranch };
    return (branch: string) => refusalOfRemoval(branch, context);
  }

  return {
    /** A page of branches, by name or by date. */
    async list(projectId: number, place: RefPage & { regex?: string }): Promise<BranchViews<Page<Branch>>> {
      const opened = await open(projectId);
      const found = await searched(opened, place, place.regex);
      return viewed(
        opened,
        found,
        found.items.map(({ name }) => name),
      );
    },

    /** One branch. */
    get,

    /**
     * Makes a branch at a branch, tag or commit. In an empty repository the default branch is made before, from an
     * initial commit.
     */
    async create(projectId: number, actor: RepositoryActor, branch: string, ref: string): Promise<BranchViews<Branch>> {
      const opened = await open(projectId);
      const name = parseBranchName(branch);
      const rules = await protectedBranches.all(projectId);
      if (!mayPush(rules, name, actor.access)) {
        throw forbidden(`You are not allowed to create the protected branch '${name}' on this project.`);
      }
      const begun = await begin(opened, actor, ref, rules);
      if (begun && name === opened.defaultBranch) return get(projectId, name);
      const revision = await resolveRevision(opened.repo, ref);
      if (revision === undefined) throw invalid(`Invalid reference name: ${ref}`);
      const wanted = branchRef(name);
      if ((await readRefs(opened.repo, [wanted])).has(wanted)) throw invalid('Branch already exists');
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref: wanted, before: zeroSha, after: revision.sha }],
      });
      if (outcome?.status === 'stale') {
        const exists = (await readRefs(opened.repo, [wanted])).has(wanted);
        throw invalid(exists ? 'Branch already exists' : outcome.reason);
      }
      const made = await getBranch(opened.repo, name);
      if (made === undefined) throw notFound('Branch');
      return viewed(opened, made, [name]);
    },

    /** Removes a branch. @throws AppError not_allowed for the default branch and protected ones */
    async remove(projectId: number, actor: RepositoryActor, branch: string): Promise<void> {
      const opened = await open(projectId);
      const name = branchNameOf(branch);
      const ref = name === undefined ? undefined : branchRef(name);
      const found = ref === undefined ? undefined : (await readRefs(opened.repo, [ref])).get(ref);
      if (name === undefined || found === undefined) throw notFound('Branch');
      const refusal = (await removable(opened, actor))(name);
      if (refusal !== undefined) throw notAllowed(refusal);
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref: found.ref, before: found.sha, after: zeroSha }],
      });
      if (outcome?.status === 'stale') throw invalid('The branch has changed meanwhile.');
    },

    /** Removes branches that are merged into the default branch; the default branch and protected ones stay. */
    async removeMerged(projectId: number, actor: RepositoryActor): Promise<void> {
      const opened = await open(projectId);
      const head = await headOf(opened);
      if (head === undefined) return;
      const [refs, refusal] = await Promise.all([listRefs(opened.repo, ['refs/heads/']), removable(opened, actor)]);
      const named = refs.flatMap(({ ref, sha }) => {
        const name = branchNameOf(ref.slice('refs/heads/'.length));
        return name === undefined || refusal(name) !== undefined ? [] : [{ name, ref, sha }];
      });
      const updates: { ref: RefName; before: Sha; after: Sha }[] = [];
      for (let at = 0; at < named.length && updates.length < removedAtOnce; at += removedAtOnce) {
        const some = named.slice(at, at + removedAtOnce);
        const merged = await mergedBranches(
          opened.repo,
          head,
          some.map(({ name }) => name),
        );
        for (const { name, ref, sha } of some) if (merged.has(name)) updates.push({ ref, before: sha, after: zeroSha });
      }
      await changeRefs({ projectId, actorId: actor.userId, source: 'api', updates: updates.slice(0, removedAtOnce) });
    },
  };
}

/** What `manageBranches` gives. */
export type ManageBranches = ReturnType<typeof manageBranches>;
