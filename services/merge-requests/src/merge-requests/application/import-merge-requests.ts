import { isAppError, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { countTasks, displayText } from '@switchyard/texts';
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
  type PreparedMergeRequest,
  type ReviewOfImported,
  type WroteMergeRequest,
  wroteOf,
} from '../domain/merge-request-import';
import { compareBranches } from './compare-branches';
import type { DiffPosition, DiffPositions, DiffRefs, ImportedPlace } from './diff-positions';
import type { MergeRequestEdges } from './merge-request.edges';

/**
 * Merge requests that are added together. What was added stays where a call runs out of time; ten have up to 1,000
 * versions, each with up to 1,000 commits.
 */
const addedTogether = 10;

faultPoints.push('merge_request_import.refs_moved', 'merge_request_import.added', 'merge_request_import.refreshed');

/** Imported merge requests in the database. */
export interface MergeRequestImportStore {
  /** Has merge requests that are made in a project from now on numbered above a number. */
  reserve(projectId: number, highest: number): Promise<void>;
  /** Those of some numbers that merge requests of a project have, wherever these come from. */
  taken(projectId: number, iids: readonly number[]): Promise<Set<number>>;
  /** Adds merge requests; those whose number, or whose open branches, another one has taken meanwhile stay away. */
  add(key: ImportKey, given: readonly CountedMergeRequest[]): Promise<void>;
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
export interface ImportEdges extends Pick<MergeRequestEdges, 'openRepository' | 'changeRefs' | 'keptFromImport'> {
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

/** A branch that no branch can be here; by its number, so that it is one of its own. */
const branchOf = (name: string, iid: number): string => branchNameOf(name) ?? `imported-${iid}`;

/** Merge requests that come in from elsewhere; see MergeRequestImportService. */
export function importMergeRequests({
  directory,
  openRepository,
  changeRefs,
  keptFromImport,
  mergeRequests,
  imports,
  positions,
}: ImportEdges) {
  /** What git says of a merge request. @param compare compares two commits */
  async function prepare(
    repo: Repository,
    one: ImportedMergeRequest,
    heads: ReadonlyMap<string, Sha>,
    commits: ReadonlyMap<string, Sha>,
    compare: (start: Sha, head: Sha) => ReturnType<typeof compareBranches>,
  ): Promise<PreparedMergeRequest> {
    const there = (text: string | undefined): Sha | undefined => namedCommit(commits, text);
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
    const [before] = merge === undefined ? [] : await describeObjects(repo, [`${merge}^1^{commit}`]);
    const versions = [];
    for (const { baseSha, startSha, headSha, createdAt } of wanted) {
      const start = there(startSha) ?? before?.sha ?? target;
      if (start === undefined) continue;
      const version = await compare(start, there(headSha) ?? parseSha(headSha));
      versions.push({ ...version, baseSha: there(baseSha) ?? version.baseSha, createdAt });
    }
    return {
      ...one,
      mergeCommitSha: merge ?? one.mergeCommitSha,
      versions,
      sourceSha: source,
      targetSha: (isOpen ? target : undefined) ?? versions.at(-1)?.startSha,
      sourceBranchExists: heads.has(one.sourceBranch) || (isOpen && source !== undefined),
    };
  }

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
      given.flatMap(({ diffs, mergeCommitSha }) => [
        mergeCommitSha,
        ...diffs.flatMap(({ baseSha, startSha, headSha }) => [baseSha, startSha, headSha]),
      ]),
    );
    await moveSources(key, actorId, given, wrote, heads, commits);
    const compared = new Map<string, ReturnType<typeof compareBranches>>();
    const compare = (start: Sha, head: Sha): ReturnType<typeof compareBranches> => {
      const pair = `${start} ${head}`;
      const found = compared.get(pair) ?? compareBranches(repo, start, head);
      compared.set(pair, found);
      return found;
    };
    const prepared: CountedMergeRequest[] = [];
    for (const one of given) {
      const { count, completed } = countTasks(one.description);
      const found = await prepare(repo, one, heads, commits, compare);
      prepared.push({ ...found, taskCount: count, completedTaskCount: completed });
    }
    return { repo, heads, prepared };
  }

  /** Adds merge requests that the project does not have. */
  async function addSome(key: ImportKey, actorId: number, given: readonly ImportedMergeRequest[]): Promise<void> {
    const { repo, heads, prepared } = await prepareSome(key, actorId, given, new Map());
    await moveRefs(repo, key, actorId, prepared, heads);
    await imports.add(key, prepared);
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
          return decideRefresh(locked, known, theirs);
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
      for (let at = 0; at < fresh.length; at += addedTogether)
        await addSome(key, actorId, fresh.slice(at, at + addedTogether));
      if (knownBefore !== undefined) {
        const wrote = await imports.wrote(key, iids);
        const own = wanted.filter(({ iid }) => wrote.has(iid));
        for (let at = 0; at < own.length; at += addedTogether)
          await refreshSome(key, actorId, own.slice(at, at + addedTogether), wrote);
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
