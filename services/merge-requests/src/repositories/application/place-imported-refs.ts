import {
  describeObjects,
  isAncestor,
  type Ref,
  type Repository,
  readRefs,
  refKind,
  type Sha,
  zeroSha,
} from '../../git';
import {
  allowsForcePush,
  mayPush,
  type ProjectAccess,
  type ProtectedBranch,
  rulesOf,
} from '../domain/protected-branch';
import { type ProtectedTag, refusalOfTag } from '../domain/protected-tag';
import { branchOf, type ChangeRefs, type ChangeRefsRequest, tagOf } from './ref-change';

/** Refs that move together: their intents and results are a statement each. */
const refsAtOnce = 500;

/** A ref that came from elsewhere. */
export type RemoteRef = Pick<Ref, 'ref' | 'sha'>;

/** Whose import it is, and where. */
export interface ImportPlace {
  readonly projectId: number;
  readonly actorId: number;
}

/** Whether an import leaves a branch or tag as it is. @param rewrites true where history goes away */
export type IsKept = (ref: string, rewrites: boolean) => boolean;

/**
 * What the import of a user is kept from in a project: what is protected from them, and the source branches of merge
 * requests that are under way to be merged (ADR 73).
 */
export type KeptFromImport = (projectId: number, userId: number) => Promise<IsKept>;

/** What is known of a project where one imports. */
export interface ImportLimits {
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  readonly protectedTags: { all(projectId: number): Promise<ProtectedTag[]> };
  /** Rights of a user now; none for who is not active any more. */
  readonly accessOf: (userId: number, projectId: number) => Promise<ProjectAccess>;
  /** Source branches of merge requests that are under way to be merged. */
  readonly branchesUnderWay: (projectId: number) => Promise<ReadonlySet<string>>;
}

/** Looks at a project before an import moves its refs. */
export const keptFromImport =
  ({ protectedBranches, protectedTags, accessOf, branchesUnderWay }: ImportLimits): KeptFromImport =>
  async (projectId, userId) => {
    const [rules, tagRules, access, underWay] = await Promise.all([
      protectedBranches.all(projectId),
      protectedTags.all(projectId),
      accessOf(userId, projectId),
      branchesUnderWay(projectId),
    ]);
    return (ref, rewrites) => {
      const [branch, tag] = [branchOf(ref), tagOf(ref)];
      if (tag !== undefined) return refusalOfTag(tagRules, tag, access) !== undefined;
      if (branch === undefined || rulesOf(rules, branch).length === 0) return underWay.has(branch ?? '');
      const mayMove = mayPush(rules, branch, access) && (!rewrites || allowsForcePush(rules, branch));
      return !mayMove || underWay.has(branch);
    };
  };

/** A branch follows where it came from, and a tag stays: what was made here since is never overwritten. */
async function isNew(repo: Repository, { ref, sha }: RemoteRef, now: Sha | undefined): Promise<boolean> {
  if (now === undefined) return true;
  return now !== sha && refKind(ref).kind === 'branch' && isAncestor(repo, now, sha);
}

/** Branches, and heads of merge requests, point at commits. */
export async function pointingRight(repo: Repository, refs: readonly RemoteRef[]): Promise<RemoteRef[]> {
  const objects = await describeObjects(
    repo,
    refs.map(({ sha }) => sha),
  );
  return refs.filter(({ ref }, at) => refKind(ref).kind === 'tag' || objects[at]?.type === 'commit');
}

/** Moves refs that came in; an outcome each. */
type MoveImported = (
  request: Pick<ChangeRefsRequest, 'projectId' | 'actorId' | 'source' | 'updates'>,
) => Promise<readonly { readonly status: 'moved' | 'stale' }[]>;

/**
 * Points branches and tags of a project at what came in.
 * @param isKept see {@link IsKept}
 * @returns how many did not move, since others were faster, and those that would have moved and were left
 */
export async function placeRefs(
  changeRefs: MoveImported,
  repo: Repository,
  { projectId, actorId }: ImportPlace,
  refs: readonly RemoteRef[],
  placed: () => void,
  isKept: IsKept = () => false,
): Promise<{ readonly stale: number; readonly kept: readonly string[] }> {
  let stale = 0;
  const kept: string[] = [];
  for (let at = 0; at < refs.length; at += refsAtOnce) {
    const part = refs.slice(at, at + refsAtOnce);
    const now = await readRefs(
      repo,
      part.map(({ ref }) => ref),
    );
    const updates = [];
    for (const one of part) {
      const before = now.get(one.ref)?.sha;
      if (!(await isNew(repo, one, before))) continue;
      if (isKept(one.ref, false)) kept.push(one.ref);
      else updates.push({ ref: one.ref, before: before ?? zeroSha, after: one.sha });
    }
    const moved = await changeRefs({ projectId, actorId, source: 'import', updates });
    placed();
    stale += moved.filter(({ status }) => status === 'stale').length;
  }
  return { stale, kept };
}

/** Points heads of merge requests at what came in; those that the project has stay. */
export async function placeHeads(
  changeRefs: ChangeRefs,
  repo: Repository,
  projectId: number,
  heads: readonly RemoteRef[],
): Promise<void> {
  for (let at = 0; at < heads.length; at += refsAtOnce) {
    const part = heads.slice(at, at + refsAtOnce);
    const now = await readRefs(
      repo,
      part.map(({ ref }) => ref),
    );
    const updates = part
      .filter(({ ref }) => !now.has(ref))
      .map(({ ref, sha }) => ({ ref, before: zeroSha, after: sha }));
    await changeRefs({ projectId, actorId: 0, source: 'internal', updates });
  }
}
