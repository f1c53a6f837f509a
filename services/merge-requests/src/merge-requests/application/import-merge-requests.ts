import { isAppError, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { countTasks, displayText, issueReferences } from '@switchyard/texts';
import {
  branchNameOf,
  branchRef,
  describeObjects,
  isAncestor,
  mergeRequestRef,
  parseSha,
  type Repository,
  readHeads,
  readRefs,
  type Sha,
  zeroSha,
} from '../../git';
import type { RefUpdate } from '../../repositories';
import {
  type AttachedMergeRequest,
  type CountedMergeRequest,
  decideRefresh,
  type EventOfImported,
  type ImportedMergeRequest,
  type ImportKey,
  importable,
  isUnderWay,
  type NamingMergeRequest,
  type PreparedMergeRequest,
  type ReviewOfImported,
  type WroteMergeRequest,
  wroteOf,
} from '../domain/merge-request-import';
import { type BranchHeads, compareAll } from './compare-branches';
import type { DiffPosition, DiffPositions, DiffRefs, ImportedPlace } from './diff-positions';
import type { MergeRequestEdges } from './merge-request.edges';

/**
 * Versions of merge requests that are added together: what was added stays where a call runs out of time. Each has up to
 * 1,000 commits.
 */
const versionsTogether = 100;

faultPoints.push('merge_request_import.refs_moved', 'merge_request_import.added', 'merge_request_import.refreshed');

/** Imported merge requests in the database. */
export interface MergeRequestImportStore {
  /** Has merge requests that are made in a project from now on numbered above a number. */
  reserve(projectId: number, highest: number): Promise<void>;
  /** Those of some numbers that merge requests of a project have, wherever these come from. */
  taken(projectId: number, iids: readonly number[]): Promise<Set<number>>;
  /** Adds merge requests; those whose number, or whose open branches, another one has taken meanwhile stay away. */
  add(key: ImportKey, given: readonly NamingMergeRequest[]): Promise<void>;
  /** Finds the labels and milestones that merge requests name. */
  attach(key: ImportKey, given: readonly CountedMergeRequest[]): Promise<AttachedMergeRequest[]>;
  /** What imports wrote of merge requests of some numbers; those that came in before this was kept are left out. */
  wrote(key: ImportKey, iids: readonly number[]): Promise<Map<number, WroteMergeRequest>>;
  /** Keeps what an import writes of merge requests. */
  keep(given: readonly WroteMergeRequest[]): Promise<void>;
  /** How many of some numbers came in from there. */
  count(key: ImportKey, iids: readonly number[]): Promise<number>;
  /** Sets reviews; returns how many belong to imported merge requests. */
  review(key: ImportKey, reviews: readonly ReviewOfImported[]): Promise<number>;
  /** Adds events of imported merge requests by number; returns how many are there now. */
  addEvents(key: ImportKey, events: readonly EventOfImported[]): Promise<number>;
  /** The lowest number of an imported one from one on; undefined for none. */
  next(key: ImportKey, fromIid: number): Promise<number | undefined>;
  /** Imported ones by number, with what their newest version compares. */
  locate(
    key: ImportKey,
    iids: readonly number[],
  ): Promise<{ readonly iid: number; readonly id: number; readonly refs: DiffRefs | undefined }[]>;
}

/** What imports need. */
export interface ImportEdges
  extends Pick<MergeRequestEdges, 'openRepository' | 'changeRefs' | 'keptFromImport' | 'externalUrl'> {
  readonly mergeRequests: Pick<MergeRequestEdges['mergeRequests'], 'change'>;
  readonly directory: Pick<MergeRequestEdges['directory'], 'project'>;
  readonly imports: MergeRequestImportStore;
  readonly positions: Pick<DiffPositions, 'locate'>;
}

/** Ids of commits, or the first 12 digits or more of them, as some forges give them. */
const commitName = /^[0-9a-f]{12,40}$/i;

/** Commits by the texts among those given that name one. */
async function commitsAmong(repo: Repository, texts: readonly (string | undefined)[]): Promise<Map<string, Sha>> {
  const names = [...new Set(texts.flatMap((text) => (text !== undefined && commitName.test(text) ? [text] : [])))];
  const found = await describeObjects(repo, names);
  return new Map(
    names.flatMap((name, at) => {
      const object = found[at];
      return object?.type === 'commit' ? [[name, object.sha] as const] : [];
    }),
  );
}

const namedCommit = (commits: ReadonlyMap<string, Sha>, text: string | undefined): Sha | undefined =>
  text === undefined ? undefined : commits.get(text);

/** Merge requests in portions of at most 100 versions, or of one merge request. */
function* portions(given: readonly ImportedMergeRequest[]): Generator<ImportedMergeRequest[]> {
  let portion: ImportedMergeRequest[] = [];
  let versions = 0;
  for (const one of given) {
    // An open one may have one more, that of its branch.
    const own = one.diffs.length + 1;
    if (portion.length > 0 && versions + own > versionsTogether) {
      yield portion;
      [portion, versions] = [[], 0];
    }
    portion.push(one);
    versions += own;
  }
  if (portion.length > 0) yield portion;
}

/** A branch that no branch can be here; by its number, so that it is one of its own. */
const branchOf = (name: string, iid: number): string => branchNameOf(name) ?? `imported-${iid}`;

/** What git has to say of a merge request. */
interface Plan {
  readonly mergeRequest: Omit<PreparedMergeRequest, 'versions'>;
  /** The oldest first. */
  readonly compares: readonly (BranchHeads & { readonly base: Sha | undefined; readonly createdAt: Date })[];
}

const nameOf = ({ target, source }: BranchHeads): string => `${target} ${source}`;

/** What there is to compare of merge requests: one process. */
async function planSome(
  repo: Repository,
  given: readonly ImportedMergeRequest[],
  heads: ReadonlyMap<string, Sha>,
  commits: ReadonlyMap<string, Sha>,
): Promise<Plan[]> {
  const there = (text: string | undefined): Sha | undefined => namedCommit(commits, text);
  const merges = given.flatMap(({ mergeCommitSha }) => there(mergeCommitSha) ?? []);
  const parents = await describeObjects(
    repo,
    merges.map((merge) => `${merge}^1^{commit}`),
  );
  const beforeMerge = new Map(merges.map((merge, at) => [merge, parents[at]?.sha]));
  return given.map((one) => {
    const target = heads.get(one.targetBranch);
    const known = one.diffs.filter(({ headSha }) => there(headSha) !== undefined);
    const lastHead = there(known.at(-1)?.headSha);
    const isOpen = one.state === 'opened';
    // An open one follows its branch, which may be ahead of what was said of it.
    const source = isOpen ? (heads.get(one.sourceBranch) ?? lastHead) : lastHead;
    const wanted = known.map((diff) => ({ ...diff, createdAt: diff.createdAt ?? one.createdAt }));
    if (isOpen && source !== undefined && source !== lastHead)
      wanted.push({ baseSha: '', startSha: target ?? '', headSha: source, createdAt: one.updatedAt });
    const merge = there(one.mergeCommitSha);
    const before = merge && beforeMerge.get(merge);
    const compares = wanted.flatMap(({ baseSha, startSha, headSha, createdAt }) => {
      const start = there(startSha) ?? before ?? target;
      if (start === undefined) return [];
      return [{ target: start, source: there(headSha) ?? parseSha(headSha), base: there(baseSha), createdAt }];
    });
    const mergeRequest = {
      ...one,
      mergeCommitSha: merge ?? one.mergeCommitSha,
      sourceSha: source,
      targetSha: isOpen ? target : undefined,
      sourceBranchExists: heads.has(one.sourceBranch) || (isOpen && source !== undefined),
    };
    return { mergeRequest, compares };
  });
}

/** Merge requests that come in from elsewhere; see MergeRequestImportService. */
export function importMergeRequests({
  directory,
  openRepository,
  changeRefs,
  keptFromImport,
  mergeRequests,
  imports,
  positions,
  externalUrl,
}: ImportEdges) {
  /** Points refs at the heads, and makes the source branches of open ones that are not there. */
  async function moveRefs(
    repo: Repository,
    { projectId }: ImportKey,
    actorId: number,
    given: readonly PreparedMergeRequest[],
    heads: ReadonlyMap<string, Sha>,
  ): Promise<void> {
    const withHead = given.filter(({ sourceSha }) => sourceSha !== undefined);
    const refs = withHead.map(({ iid }) => mergeRequestRef(iid, 'head'));
    const now = await readRefs(repo, refs);
    const moved = withHead.flatMap(({ sourceSha = zeroSha }, at): RefUpdate[] => {
      const ref = refs[at]!;
      const before = now.get(ref)?.sha ?? zeroSha;
      return before === sourceSha ? [] : [{ ref, before, after: sourceSha }];
    });
    await changeRefs({ projectId, actorId: 0, source: 'internal', updates: moved });
    const missing = new Map(
      withHead
        .filter(({ state, sourceBranch }) => state === 'opened' && !heads.has(sourceBranch))
        .map(({ sourceBranch, sourceSha = zeroSha }) => [sourceBranch, sourceSha]),
    );
    const updates = [...missing].flatMap(([name, after]): RefUpdate[] => {
      const branch = branchNameOf(name);
      return branch === undefined ? [] : [{ ref: branchRef(branch), before: zeroSha, after }];
    });
    await changeRefs({ projectId, actorId, source: 'import', updates });
    faultPoint('merge_request_import.refs_moved');
  }

  /**
   * Moves the source branches of open ones that are where an import has left them to where they are at the forge: those of
   * forks came with no branch, and others may have been pushed with force. What was pushed here stays, and so does what
   * imports are kept from.
   */
  async function moveSources(
    { projectId }: ImportKey,
    actorId: number,
    given: readonly ImportedMergeRequest[],
    wrote: ReadonlyMap<number, WroteMergeRequest>,
    heads: Map<string, Sha>,
    commits: ReadonlyMap<string, Sha>,
  ): Promise<void> {
    const moves = new Map<string, { readonly ref: string; readonly before: Sha; readonly after: Sha }>();
    for (const { iid, state, sourceBranch, diffs } of given) {
      const [before, after] = [heads.get(sourceBranch), namedCommit(commits, diffs.at(-1)?.headSha)];
      const branch = branchNameOf(sourceBranch);
      if (state !== 'opened' || branch === undefined || before === undefined || after === undefined) continue;
      if (before === wrote.get(iid)?.headSha && before !== after)
        moves.set(sourceBranch, { ref: branchRef(branch), before, after });
    }
    if (moves.size === 0) return;
    const [{ repo }, isKept] = await Promise.all([openRepository(projectId), keptFromImport(projectId, actorId)]);
    for (const [name, { ref, before, after }] of moves)
      if (isKept(ref, !(await isAncestor(repo, before, after)))) moves.delete(name);
    const updates = [...moves.values()];
    const moved = await changeRefs({ projectId, actorId, source: 'import', updates });
    for (const [at, [name, { after }]] of [...moves].entries())
      if (moved[at]?.status !== 'stale') heads.set(name, after);
  }

  /** Merge requests with what git says of them. @param wrote what imports wrote of those that are there */
  async function prepareSome(
    key: ImportKey,
    actorId: number,
    given: readonly ImportedMergeRequest[],
    wrote: ReadonlyMap<number, WroteMergeRequest>,
  ) {
    const { repo } = await openRepository(key.projectId);
    const heads = await readHeads(
      repo,
      given.flatMap(({ sourceBranch, targetBranch }) => [sourceBranch, targetBranch]),
    );
    const commits = await commitsAmong(
      repo,
      given.flatMap(({ diffs, mergeCommitSha, contextCommits = [] }) => [
        mergeCommitSha,
        ...contextCommits.map(({ sha }) => sha),
        ...diffs.flatMap(({ baseSha, startSha, headSha }) => [baseSha, startSha, headSha]),
      ]),
    );
    await moveSources(key, actorId, given, wrote, heads, commits);
    const planned = await planSome(repo, given, heads, commits);
    const pairs = new Map(planned.flatMap(({ compares }) => compares.map((one) => [nameOf(one), one] as const)));
    const found = await compareAll(repo, [...pairs.values()]);
    const versionOf = new Map([...pairs.keys()].map((name, at) => [name, found[at]!]));
    const prepared = planned.map(({ compares, mergeRequest }): CountedMergeRequest => {
      const versions = compares.map((one) => {
        const version = versionOf.get(nameOf(one))!;
        return { ...version, baseSha: one.base ?? version.baseSha, createdAt: one.createdAt };
      });
      const { count, completed } = countTasks(mergeRequest.description);
      const targetSha = mergeRequest.targetSha ?? versions.at(-1)?.startSha;
      const contextCommits = mergeRequest.contextCommits?.filter(({ sha }) => commits.has(sha));
      return { ...mergeRequest, contextCommits, versions, targetSha, taskCount: count, completedTaskCount: completed };
    });
    return { repo, heads, prepared };
  }

  /** Adds merge requests that the project does not have. */
  async function addSome(key: ImportKey, actorId: number, given: readonly ImportedMergeRequest[]): Promise<void> {
    const { repo, heads, prepared } = await prepareSome(key, actorId, given, new Map());
    await moveRefs(repo, key, actorId, prepared, heads);
    const naming = prepared.map((one) => ({
      ...one,
      issueReferences: issueReferences([one.title, one.description], externalUrl),
    }));
    await imports.add(key, naming);
    faultPoint('merge_request_import.added');
  }

  /** Brings merge requests that came in before up to how they are at the forge, where nobody has changed them here. */
  async function refreshSome(
    key: ImportKey,
    actorId: number,
    given: readonly ImportedMergeRequest[],
    wrote: ReadonlyMap<number, WroteMergeRequest>,
  ): Promise<void> {
    const { repo, heads, prepared } = await prepareSome(key, actorId, given, wrote);
    for (const theirs of await imports.attach(key, prepared)) {
      const known = wrote.get(theirs.iid);
      if (known === undefined) continue;
      let held: WroteMergeRequest | undefined;
      const after = await mergeRequests
        .change(known.id, 0, (locked) => {
          held = isUnderWay(locked) ? known : undefined;
          return decideRefresh(locked, known, theirs, externalUrl);
        })
        .catch((error: unknown) => {
          // Another one is open for its branches, or it was deleted meanwhile: what is here stays.
          if (!isAppError(error, 'conflict', 'not_found')) throw error;
          return undefined;
        });
      if (after === undefined) continue;
      // Whether now or before the process died: with the change its refs move.
      if (after.sourceSha === theirs.sourceSha && after.state === theirs.state)
        await moveRefs(repo, key, actorId, [theirs], heads);
      await imports.keep([wroteOf({ ...theirs, id: known.id }, held)]);
    }
    faultPoint('merge_request_import.refreshed');
  }

  /** Keeps numbers for merge requests that come in later: what is made meanwhile gets higher ones. Fails with `not_found`. */
  async function reserveNumbers(projectId: number, highest: number): Promise<void> {
    if ((await directory.project(projectId)) === undefined) throw notFound('Project');
    if (highest > 0) await imports.reserve(projectId, highest);
  }

  return {
    reserveNumbers,

    /**
     * Adds merge requests; returns how many of them the project has now. Fails with `not_found`.
     * @param knownBefore of a refresh; see ImportMergeRequestsRequest
     */
    async add(
      key: ImportKey,
      actorId: number,
      given: readonly ImportedMergeRequest[],
      knownBefore?: Date,
    ): Promise<number> {
      const { projectId } = key;
      await reserveNumbers(projectId, Math.max(0, ...given.map(({ iid }) => iid)));
      const wanted = importable(given).map((one) => ({
        ...one,
        sourceBranch: branchOf(one.sourceBranch, one.iid),
        targetBranch: branchOf(one.targetBranch, one.iid),
        // As their owner stores them, so that their titles are found.
        labels: one.labels.map(displayText),
      }));
      const iids = wanted.map(({ iid }) => iid);
      const taken = await imports.taken(projectId, iids);
      const missing = wanted.filter(({ iid }) => !taken.has(iid));
      const fresh = missing.filter(({ createdAt }) => knownBefore === undefined || createdAt >= knownBefore);
      for (const some of portions(fresh)) await addSome(key, actorId, some);
      if (knownBefore !== undefined) {
        const wrote = await imports.wrote(key, iids);
        const own = wanted.filter(({ iid }) => wrote.has(iid));
        for (const some of portions(own)) await refreshSome(key, actorId, some, wrote);
      }
      // Those that were deleted here are missed by nobody.
      return (await imports.count(key, iids)) + missing.length - fresh.length;
    },

    /** Sets what reviewers decided; returns how many reviews belong to imported merge requests. */
    review: (key: ImportKey, reviews: readonly ReviewOfImported[]): Promise<number> =>
      imports.review(
        key,
        // Of a user the last one counts.
        [...new Map(reviews.map((one) => [`${one.mergeRequestIid} ${one.userId}`, one])).values()].filter(
          ({ userId }) => userId > 0,
        ),
      ),

    /** Adds what was done to imported merge requests; returns how many events are there now. */
    addEvents: (key: ImportKey, events: readonly EventOfImported[]): Promise<number> => imports.addEvents(key, events),

    /** The lowest number of an imported merge request from one on; undefined for none. */
    next: (key: ImportKey, fromIid: number): Promise<number | undefined> => imports.next(key, fromIid),

    /** Ids of imported merge requests by number, and where places of their diffs are, in their order. */
    async locate(
      key: ImportKey,
      iids: readonly number[],
      places: readonly (Omit<ImportedPlace, 'refs'> & { readonly iid: number })[],
    ): Promise<{
      readonly mergeRequests: readonly { readonly iid: number; readonly id: number }[];
      readonly positions: readonly (DiffPosition | undefined)[];
    }> {
      const found = await imports.locate(key, [...new Set([...iids, ...places.map(({ iid }) => iid)])]);
      const refsOf = new Map(found.map(({ iid, refs }) => [iid, refs]));
      const located = await positions.locate(
        key.projectId,
        places.map(({ iid, ...place }) => ({ ...place, refs: refsOf.get(iid) })),
      );
      return { mergeRequests: found.map(({ iid, id }) => ({ iid, id })), positions: located };
    },
  };
}

/** What `importMergeRequests` gives. */
export type ImportMergeRequests = ReturnType<typeof importMergeRequests>;
