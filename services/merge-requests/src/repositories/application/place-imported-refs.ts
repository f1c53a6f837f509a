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
import type { ChangeRefs } from './ref-change';

/** Refs that move together: their intents and results are a statement each. */
const refsAtOnce = 500;

/** A ref that came from elsewhere. */
export type RemoteRef = Pick<Ref, 'ref' | 'sha'>;

/** Whose import it is, and where. */
export interface ImportPlace {
  readonly projectId: number;
  readonly actorId: number;
}

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

/** Points branches and tags of a project at what came in; returns how many did not move, since others were faster. */
export async function placeRefs(
  changeRefs: ChangeRefs,
  repo: Repository,
  { projectId, actorId }: ImportPlace,
  refs: readonly RemoteRef[],
  placed: () => void,
): Promise<number> {
  let stale = 0;
  for (let at = 0; at < refs.length; at += refsAtOnce) {
    const part = refs.slice(at, at + refsAtOnce);
    const now = await readRefs(
      repo,
      part.map(({ ref }) => ref),
    );
    const updates = [];
    for (const one of part) {
      const before = now.get(one.ref)?.sha;
      if (await isNew(repo, one, before)) updates.push({ ref: one.ref, before: before ?? zeroSha, after: one.sha });
    }
    const moved = await changeRefs({ projectId, actorId, source: 'import', updates });
    placed();
    stale += moved.filter(({ status }) => status === 'stale').length;
  }
  return stale;
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
