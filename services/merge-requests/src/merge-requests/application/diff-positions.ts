import { notFound } from '@switchyard/errors';
import {
  changedPaths,
  changedPathsOfAll,
  describeObjects,
  diff,
  emptyTreeSha,
  type FileDiff,
  mergeBase,
  parseSha,
  type Repository,
  readCommit,
  resolveRevision,
  type Sha,
  type TreePath,
  treePathOf,
} from '../../git';
import type { OpenProjectRepository } from '../../repositories';
import {
  codeLines,
  isPosition,
  type LineNumbers,
  lastLine,
  movedLine,
  positionWithin,
  sidedLine,
} from '../domain/diff-position';

/** A place in the difference of two commits; without lines it is the whole file. */
export interface DiffPosition extends LineNumbers {
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  readonly oldPath: string;
  readonly newPath: string;
}

/** A place in the diff of a merge request as a forge names it; see ImportedPlace. */
export interface ImportedPlace {
  /** What the newest version compares; undefined where there is nothing to compare. */
  readonly refs: DiffRefs | undefined;
  readonly commitSha: string;
  readonly path: string;
  /** 0 for the whole file. */
  readonly line: number;
  readonly oldSide: boolean;
  readonly hunk: string;
}

/** Commits that the newest version of a merge request compares. */
export interface DiffRefs {
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
}

/** What places are looked up with. */
export interface DiffPositionEdges {
  readonly open: OpenProjectRepository;
  /** Of a merge request; undefined when there is none, or nothing to compare. */
  readonly refsOf: (projectId: number, mergeRequestId: number) => Promise<DiffRefs | undefined>;
}

/** Positions in one request (see the proto). */
const maxPositions = 100;

const shaPattern = /^[0-9a-f]{40}$/;

/** Bytes of one file's difference that are looked through; a longer one has no places but the whole file. */
const limits = { maxPatchBytes: 8 << 20, maxBytes: 64 << 20, maxLines: 1_000_000 };

const pathsOf = (...paths: string[]): TreePath[] => [...new Set(paths)].flatMap((path) => treePathOf(path) ?? []);

async function shaIn(repo: Repository, text: string): Promise<Sha | undefined> {
  if (text === emptyTreeSha) return emptyTreeSha;
  return shaPattern.test(text) && (await readCommit(repo, parseSha(text))) !== undefined ? parseSha(text) : undefined;
}

/**
 * How one file changed from one commit to another, also under another name; undefined when it did not, or was deleted.
 */
async function fileBetween(
  repo: Repository,
  from: Sha,
  to: Sha,
  path: string,
): Promise<{ path: string; file: FileDiff | undefined } | undefined> {
  const within = async (paths: TreePath[]): Promise<FileDiff[]> =>
    (await diff(repo, { from, to, mode: 'straight', paths, limits })).files;
  const [file] = await within(pathsOf(path));
  if (file === undefined) return { path, file: undefined };
  if (!file.deletedFile) return { path, file };
  // Renames are found only where both names are compared.
  const renamed = (await changedPaths(repo, { from, to, mode: 'straight' })).files.find(
    ({ oldPath, newPath }) => oldPath === path && newPath !== path,
  );
  if (renamed === undefined) return undefined;
  const [moved] = await within(pathsOf(path, renamed.newPath));
  return moved === undefined ? undefined : { path: renamed.newPath, file: moved };
}

async function lineBetween(
  repo: Repository,
  from: Sha,
  to: Sha,
  path: string,
  line: number | undefined,
): Promise<{ path: string; line: number | undefined } | undefined> {
  if (from === to) return { path, line };
  const found = await fileBetween(repo, from, to, path);
  if (found === undefined) return undefined;
  const { file } = found;
  if (line === undefined || file === undefined) return { path: found.path, line };
  if (file.tooLarge || file.collapsed) return undefined;
  const moved = movedLine(file.diff, line);
  return moved === undefined ? undefined : { path: found.path, line: moved };
}

/** The position after both its commits have changed; undefined when its line, or its file, was deleted. */
async function movedPlace(
  repo: Repository,
  { from, to, base, head }: { from: Sha; to: Sha; base: Sha; head: Sha },
  position: DiffPosition,
): Promise<DiffPosition | undefined> {
  const { oldPath, oldLine, newPath, newLine } = position;
  const before = oldLine === undefined ? undefined : await lineBetween(repo, from, base, oldPath, oldLine);
  if (oldLine !== undefined && before === undefined) return undefined;
  if (newLine === undefined && oldLine !== undefined)
    return { ...position, oldPath: before?.path ?? oldPath, oldLine: before?.line };
  const after = await lineBetween(repo, to, head, newPath, newLine);
  if (after === undefined) return undefined;
  return {
    ...position,
    oldPath: before?.path ?? oldPath,
    oldLine: before?.line,
    newPath: after.path,
    newLine: after.line,
  };
}

/**
 * Whether a place is one of a changed file: a removed line is found by the old name, everything else by the new one.
 */
const isInFile = (file: NamedFile, { oldPath, oldLine, newPath, newLine }: DiffPosition) =>
  newLine === undefined && oldLine !== undefined ? file.oldPath === oldPath : file.newPath === newPath;

/** A file by its names before and after a change. */
type NamedFile = Pick<FileDiff, 'oldPath' | 'newPath'>;

/**
 * Reads the lines of changed files between two commits, by their new names, with one process; without those that are too
 * long to be looked through.
 */
async function patchesOf(
  repo: Repository,
  from: Sha,
  to: Sha,
  files: readonly NamedFile[],
): Promise<ReadonlyMap<string, string>> {
  const paths = pathsOf(...files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]));
  if (paths.length === 0) return new Map();
  const { files: read } = await diff(repo, { from, to, mode: 'straight', paths, limits });
  return new Map(
    read.filter(({ tooLarge, collapsed }) => !tooLarge && !collapsed).map((file) => [file.newPath, file.diff]),
  );
}

/** What a commit of a source branch changes since it left the target, and the places of it that are looked for. */
interface ChangesAt {
  readonly base: Sha;
  readonly head: Sha;
  readonly startSha: string;
  readonly places: ImportedPlace[];
}

/** Places by the commits that they are to be found in; those that name none that is there are left out. */
async function changesOf(repo: Repository, places: readonly ImportedPlace[]): Promise<ChangesAt[]> {
  // A forge that names no commit means the newest one.
  const headOf = ({ refs, commitSha }: ImportedPlace): string => commitSha || refs?.headSha || '';
  const named = places.flatMap((place) => [headOf(place), place.refs?.startSha ?? '']);
  const texts = [...new Set(named)].filter((text) => shaPattern.test(text));
  const objects = await describeObjects(repo, texts);
  const commits = new Map(texts.filter((_, at) => objects[at]?.type === 'commit').map((sha) => [sha, parseSha(sha)]));
  const found = new Map<string, ChangesAt>();
  for (const place of places) {
    const { refs } = place;
    const head = commits.get(headOf(place));
    const start = commits.get(refs?.startSha ?? '');
    if (refs === undefined || head === undefined || start === undefined) continue;
    const isNewest = head === refs.headSha;
    const key = `${start} ${head} ${isNewest ? refs.baseSha : ''}`;
    const known = found.get(key);
    if (known !== undefined) {
      known.places.push(place);
      continue;
    }
    const base = isNewest ? parseSha(refs.baseSha) : ((await mergeBase(repo, start, head)) ?? emptyTreeSha);
    found.set(key, { base, head, startSha: start, places: [place] });
  }
  return [...found.values()];
}

/** Where a place is that git cannot say: its lines as the forge has sent them, at the commit that it names. */
function placeAsSent({ refs, commitSha, path, line, oldSide, hunk }: ImportedPlace): DiffPosition | undefined {
  if (refs === undefined) return undefined;
  const lines = line === 0 ? {} : (lastLine(hunk) ?? (oldSide ? { oldLine: line } : { newLine: line }));
  const headSha = shaPattern.test(commitSha) ? commitSha : refs.headSha;
  return { ...refs, headSha, oldPath: path, newPath: path, ...lines };
}

/** Looks places of diffs up in git. */
export function diffPositions({ open, refsOf }: DiffPositionEdges) {
  return {
    /**
     * Whether a position names a place: its commits exist, its file changed between them, its line is one of that file.
     * With the numbers of its line code, where it has lines.
     */
    async check(
      projectId: number,
      position: DiffPosition,
    ): Promise<{ valid: boolean; code?: { oldLine: number; newLine: number } | undefined }> {
      const { repo } = await open(projectId);
      const [from, to, start] = await Promise.all(
        [position.baseSha, position.headSha, position.startSha].map((sha) => shaIn(repo, sha)),
      );
      const paths = pathsOf(position.oldPath, position.newPath);
      if (from === undefined || to === undefined || start === undefined || paths.length === 0) return { valid: false };
      const { files } = await diff(repo, { from, to, mode: 'straight', paths, limits });
      const file = files.find((one) => one.newPath === position.newPath && one.oldPath === position.oldPath);
      if (file === undefined || !isPosition(file.diff, position.oldLine, position.newLine)) return { valid: false };
      return { valid: true, code: codeLines(file.diff, position) };
    },

    /**
     * The positions of earlier versions in the newest one, in their order; undefined: outdated. Fails with
     * `not_found`.
     */
    async move(
      projectId: number,
      mergeRequestId: number,
      positions: readonly DiffPosition[],
    ): Promise<(DiffPosition | undefined)[]> {
      const refs = await refsOf(projectId, mergeRequestId);
      if (refs === undefined) throw notFound();
      const { repo } = await open(projectId);
      const [base, head] = [parseSha(refs.baseSha), parseSha(refs.headSha)];
      const { files: changed } = await changedPaths(repo, { from: base, to: head, mode: 'straight' });
      const moved: ({ readonly place: DiffPosition; readonly file: NamedFile } | undefined)[] = [];
      for (const position of positions.slice(0, maxPositions)) {
        const [from, to] = await Promise.all([position.baseSha, position.headSha].map((sha) => shaIn(repo, sha)));
        const isThere = from !== undefined && to !== undefined;
        const place = isThere ? await movedPlace(repo, { from, to, base, head }, position) : undefined;
        const file = place && changed.find((one) => isInFile(one, place));
        moved.push(place && file && { place, file });
      }
      const hasLines = ({ oldLine, newLine }: DiffPosition): boolean => oldLine !== undefined || newLine !== undefined;
      const patches = await patchesOf(
        repo,
        base,
        head,
        moved.flatMap((one) => (one !== undefined && hasLines(one.place) ? one.file : [])),
      );
      return moved.map((one): DiffPosition | undefined => {
        if (one === undefined) return undefined;
        const { place, file } = one;
        const patch = hasLines(place) ? patches.get(file.newPath) : '';
        if (patch === undefined) return undefined;
        const lines = hasLines(place) ? positionWithin(patch, place) : {};
        return lines && { ...place, ...refs, ...lines, oldPath: file.oldPath, newPath: file.newPath };
      });
    },

    /** Where places are that a forge names; undefined where there is nothing to compare. In their order. */
    async locate(projectId: number, places: readonly ImportedPlace[]): Promise<(DiffPosition | undefined)[]> {
      if (places.length === 0) return [];
      const { repo } = await open(projectId);
      const given = places.slice(0, maxPositions);
      const changes = await changesOf(repo, given);
      const changed = await changedPathsOfAll(
        repo,
        changes.map(({ base, head }) => ({ from: base, to: head })),
      );
      const located = new Map<ImportedPlace, DiffPosition>();
      for (const [at, { base, head, startSha, places: here }] of changes.entries()) {
        const { files } = changed[at]!;
        const fileOf = ({ path }: ImportedPlace): NamedFile | undefined =>
          files.find(({ newPath }) => newPath === path) ?? files.find(({ oldPath }) => oldPath === path);
        const withLines = here.filter(({ line }) => line > 0);
        const patches = await patchesOf(
          repo,
          base,
          head,
          withLines.flatMap((place) => fileOf(place) ?? []),
        );
        for (const place of here) {
          const { line, oldSide } = place;
          const file = fileOf(place);
          const patch = line === 0 ? '' : file && patches.get(file.newPath);
          if (file === undefined || patch === undefined) continue;
          const lines = line === 0 ? {} : sidedLine(patch, line, oldSide);
          const { oldPath, newPath } = file;
          located.set(place, { baseSha: base, startSha, headSha: head, oldPath, newPath, ...lines });
        }
      }
      return given.map((place) => located.get(place) ?? placeAsSent(place));
    },

    /** A commit by branch, tag or sha. Fails with `not_found`. */
    async describe(projectId: number, revision: string): Promise<{ sha: string; title: string; parentSha: string }> {
      const { repo } = await open(projectId);
      const found = await resolveRevision(repo, revision);
      const commit = found && (await readCommit(repo, found.sha));
      if (commit === undefined) throw notFound('Commit');
      const title = commit.message.split('\n', 1)[0] ?? '';
      return { sha: commit.id, title, parentSha: commit.parents[0] ?? emptyTreeSha };
    },
  };
}

/** What `diffPositions` gives. */
export type DiffPositions = ReturnType<typeof diffPositions>;
