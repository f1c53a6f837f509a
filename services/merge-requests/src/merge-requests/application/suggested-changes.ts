import { badRequest, forbidden, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  branchRef,
  entryAt,
  ObjectReader,
  parseBranchName,
  parseSha,
  parseTreePath,
  type Repository,
  type Sha,
  shaOf,
  treePathOf,
  commitFiles as writeFiles,
} from '../../git';
import { suggestionMessage } from '../domain/merge-message';
import {
  applyLineChanges,
  type ChangeProblem,
  changedLines,
  type LineChange,
  type LinesFound,
  linesAround,
} from '../domain/suggested-change';
import type { DiffPosition, DiffPositionEdges, DiffPositions } from './diff-positions';
import type { MergeRequestEdges } from './merge-request.edges';
import { isAcross, readSource } from './source-branch';
import { mayCallerPushToSource } from './source-right';
import { viewOf } from './view-of';

/** Some lines of a file, around a place. */
export interface SuggestedLines {
  readonly position: DiffPosition;
  readonly linesAbove: number;
  readonly linesBelow: number;
}

/** One change that a note suggests. */
export interface SuggestedChange extends SuggestedLines {
  readonly suggestionId: number;
  readonly fromContent: string;
  readonly toContent: string;
  readonly authorId: number;
}

/** What suggested changes need beside what merge requests need. */
export interface SuggestedChangeEdges extends MergeRequestEdges {
  readonly positions: Pick<DiffPositions, 'move'>;
  readonly refsOf: DiffPositionEdges['refsOf'];
}

/** Places, changes and lines in one request (see the proto). */
const maxPlaces = 2_000;
const maxChanges = 100;
const maxLines = 100;

/** Bytes of a file whose lines may be replaced: it is read and written as a whole. */
const maxFileBytes = 1 << 20;

/** What the cause of a ref change says of the suggestions that it applied. */
export function suggestionsOfCause(
  cause: string | undefined,
): { mergeRequestId: number; suggestionIds: number[] } | undefined {
  const [, id, ids] = /^suggestions:(\d{1,15}):(\d{1,15}(?:,\d{1,15})*)$/.exec(cause ?? '') ?? [];
  return id === undefined || ids === undefined
    ? undefined
    : { mergeRequestId: Number(id), suggestionIds: ids.split(',').map(Number) };
}

/** Reads files of text, each once; undefined for what is none, and for one that is too large. */
async function readTexts(
  repo: Repository,
  files: readonly { readonly sha: Sha; readonly path: string }[],
): Promise<(sha: string, path: string) => string | undefined> {
  const keyOf = (sha: string, path: string): string => `${sha} ${path}`;
  const texts = new Map<string, string>();
  const blobs = new Map<string, Sha>();
  for (const { sha, path } of files) {
    const key = keyOf(sha, path);
    const parsed = treePathOf(path);
    if (parsed === undefined || blobs.has(key)) continue;
    const entry = await entryAt(repo, sha, parsed).catch(() => undefined);
    if (entry?.type === 'blob' && (entry.size ?? 0) <= maxFileBytes) blobs.set(key, entry.sha);
  }
  if (blobs.size === 0) return () => undefined;
  const reader = await ObjectReader.open(repo);
  try {
    for (const [key, sha] of blobs) {
      const [object] = await reader.read([sha]);
      const text = object?.content.toString('utf8') ?? '';
      // The database of those who keep the lines knows no NUL, and other bytes would not come back as they were.
      const isText = object !== undefined && Buffer.from(text).equals(object.content) && !text.includes('\0');
      if (isText) texts.set(key, text);
    }
  } finally {
    reader.close();
  }
  return (sha, path) => texts.get(keyOf(sha, path));
}

const within = (lines: number): number => Math.min(Math.max(lines, 0), maxLines);

/** The lines that suggestions would replace, in their order; undefined where there are none. */
export const readSuggestedLines =
  ({ openRepository }: Pick<MergeRequestEdges, 'openRepository'>) =>
  async (projectId: number, suggested: readonly SuggestedLines[]): Promise<(LinesFound | undefined)[]> => {
    const places = suggested.slice(0, maxPlaces);
    const { repo } = await openRepository(projectId);
    const files = places.flatMap(({ position: { headSha, newPath } }) => {
      const sha = shaOf(headSha);
      return sha === undefined ? [] : [{ sha, path: newPath }];
    });
    const textOf = await readTexts(repo, files);
    return places.map(({ position: { headSha, newPath, newLine }, linesAbove, linesBelow }) => {
      const text = textOf(headSha, newPath);
      if (text === undefined || newLine === undefined) return undefined;
      return linesAround(text, { line: newLine, linesAbove: within(linesAbove), linesBelow: within(linesBelow) });
    });
  };

const refused = (problems: readonly ChangeProblem[]) =>
  badRequest(
    problems.map(({ suggestionId, problem }) => `Suggestion ${suggestionId} cannot be applied: ${problem}.`).join(' '),
  );

const movedOn = () => badRequest('The source branch has changed in the meantime. Read the suggestions again.');

/** Files after all changes, by path; throws the refusal with every change that does not apply. */
function changedFiles(
  changes: readonly SuggestedChange[],
  places: readonly (DiffPosition | undefined)[],
  textOf: (path: string) => string | undefined,
): Map<string, string> {
  const problems: ChangeProblem[] = [];
  const byPath = new Map<string, LineChange[]>();
  for (const [at, { suggestionId, linesAbove, linesBelow, fromContent, toContent }] of changes.entries()) {
    const place = places[at];
    if (place?.newLine === undefined) {
      problems.push({ suggestionId, problem: changedLines });
      continue;
    }
    const inFile = byPath.get(place.newPath) ?? [];
    inFile.push({ suggestionId, line: place.newLine, linesAbove, linesBelow, fromContent, toContent });
    byPath.set(place.newPath, inFile);
  }
  const files = new Map<string, string>();
  for (const [path, inFile] of byPath) {
    const text = textOf(path);
    const applied = text === undefined ? undefined : applyLineChanges(text, inFile);
    if (applied === undefined)
      problems.push(...inFile.map(({ suggestionId }) => ({ suggestionId, problem: changedLines })));
    else if ('problems' in applied) problems.push(...applied.problems);
    else files.set(path, applied.text);
  }
  if (problems.length > 0) throw refused(problems);
  return files;
}

/**
 * Makes one commit of changes on the source branch of a merge request, or none. The commit stands on the very head whose
 * lines were compared: a branch that moves in between refuses it. What asked for it is the cause of the ref change, so the
 * suggestions are marked as applied whatever happens to the caller.
 * @throws AppError not_found; forbidden without push right; bad_request where a change does not apply
 */
export const applySuggestedChanges =
  (edges: SuggestedChangeEdges) =>
  async (
    caller: Caller,
    { projectId, mergeRequestId }: { projectId: number; mergeRequestId: number },
    changes: readonly SuggestedChange[],
    message: string,
  ): Promise<string> => {
    const view = await viewOf(edges, { id: mergeRequestId });
    const { mergeRequest, project, settings } = view;
    if (mergeRequest.projectId !== projectId || changes.length === 0 || changes.length > maxChanges) throw notFound();
    const { sourceBranch, sourceProjectId } = mergeRequest;
    if (!(await mayCallerPushToSource(edges, caller, mergeRequest)))
      throw forbidden('You are not allowed to push into this branch');
    if (mergeRequest.state !== 'opened') throw badRequest('The merge request is not open.');
    const { repo } = await edges.openRepository(projectId);
    const head = await readSource(edges, mergeRequest);
    if (head === undefined) throw badRequest('The source branch does not exist.');
    const refs = await edges.refsOf(projectId, mergeRequestId);
    if (refs?.headSha !== head) throw movedOn();
    const asked = changes.map(({ position }) => position);
    const places = await edges.positions.move(projectId, mergeRequestId, asked);
    const paths = places.flatMap((place) => (place?.headSha === head ? { sha: head, path: place.newPath } : []));
    const textOf = await readTexts(repo, paths);
    const files = changedFiles(changes, places, (path) => textOf(head, path));
    const suggesters = [...new Set(changes.map(({ authorId }) => authorId))];
    const [self, ...signed] = await Promise.all([caller.userId, ...suggesters].map(edges.committers.committer));
    if (self === undefined) throw new Error('a caller without a signature');
    const [only] = signed;
    const author = signed.length === 1 && only !== undefined ? only : self;
    const date = edges.clock();
    const commit = await writeFiles(repo, {
      parent: parseSha(head),
      actions: [...files].map(([path, text]) => ({
        action: 'update',
        path: parseTreePath(path),
        content: Buffer.from(text),
      })),
      author: { name: author.name, email: author.email, date },
      committer: { name: self.name, email: self.email, date },
      message: suggestionMessage(message, settings.suggestionCommitMessage, {
        branch: sourceBranch,
        paths: [...files.keys()],
        project: { name: project.name, path: `${project.namespace_full_path}/${project.path}` },
        suggestions: changes.length,
        user: { name: self.name, username: caller.username },
        coAuthors: signed
          .filter(({ id }) => id !== self.id && id !== author.id)
          .map(({ name, email }) => `${name} <${email}>`),
      }),
    });
    if (isAcross(mergeRequest)) await edges.bringCommit({ from: projectId, into: sourceProjectId, sha: commit });
    const ids = changes.map(({ suggestionId }) => suggestionId);
    const [outcome] = await edges.changeRefs({
      projectId: sourceProjectId,
      actorId: caller.userId,
      source: 'api',
      cause: `suggestions:${mergeRequestId}:${ids.join(',')}`,
      updates: [{ ref: branchRef(parseBranchName(sourceBranch)), before: head, after: commit }],
    });
    if (outcome?.status !== 'moved') throw movedOn();
    return commit;
  };
