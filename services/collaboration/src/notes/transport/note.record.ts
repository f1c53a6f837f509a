import { createHash } from 'node:crypto';
import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { isAppError } from '@switchyard/errors';
import { recordFields } from '@switchyard/service';
import { archivedSnippet } from '../../snippets';
import type { ImportedNote } from '../domain/imported-note';
import { type NotePosition, toPosition } from '../domain/note-position';
import { maxContext, maxSuggestions, maySuggest } from '../domain/suggestion';

const { iid, text, body, sha, user, count, time } = recordFields;
const path = text(4_096);

// JSON.stringify writes null characters and halves of surrogate pairs so, none of which PostgreSQL keeps.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const placeForm = z.object({
  baseSha: sha,
  startSha: sha,
  headSha: sha,
  positionType: z.enum(['text', 'image', 'file']),
  oldPath: path,
  newPath: path,
  oldLine: iid.optional(),
  newLine: iid.optional(),
  width: count.optional(),
  height: count.optional(),
  x: count.optional(),
  y: count.optional(),
  lineRange: z
    .json()
    .refine((given) => !unstorable.test(JSON.stringify(given)), 'holds characters that cannot be kept')
    .optional(),
  commitId: sha.optional(),
});

const position = placeForm.transform(({ lineRange, commitId, ...place }, { addIssue }): NotePosition => {
  try {
    return toPosition({ ...place, lineRange: lineRange === undefined ? '' : JSON.stringify(lineRange) }, commitId);
  } catch (error) {
    if (!isAppError(error, 'bad_request')) throw error;
    addIssue('is none that a note can have');
    return z.NEVER;
  }
});

const suggestionForm = z.object({
  lines_above: z.int().min(0).max(maxContext),
  lines_below: z.int().min(0).max(maxContext),
  from_content: body,
  to_content: body,
  commit_sha: sha.nullable(),
});

/** A note as an archive has it (ADR 60); the first archives neither number them nor say what they suggest. */
export const noteRecord = z
  .object({
    id: z.int().min(1).optional(),
    noteable_iid: iid.nullable(),
    commit_id: sha.nullable(),
    snippet: z.int().min(1).nullable(),
    noteable_type: z.enum(['Issue', 'MergeRequest', 'Commit', 'Snippet']),
    discussion_id: z.string().regex(/^[0-9a-f]{40}$/),
    type: z.enum(['DiscussionNote', 'DiffNote']).nullable(),
    author: user,
    body,
    system: z.boolean(),
    action: text(50).nullable(),
    internal: z.boolean(),
    original_position: position.nullable(),
    position: position.nullable(),
    resolved_by: user,
    resolved_at: time.nullable(),
    suggestions: z.array(suggestionForm).max(maxSuggestions).optional(),
    created_at: time,
    updated_at: time,
  })
  .refine(
    ({ noteable_type: type, noteable_iid, commit_id, snippet }) =>
      ({ Issue: noteable_iid, MergeRequest: noteable_iid, Commit: commit_id, Snippet: snippet })[type] !== null,
    'does not say what it is on',
  );

type NoteRecord = z.infer<typeof noteRecord>;

/** Names of the people of notes. */
export const peopleOf = (given: readonly NoteRecord[]): (string | null)[] =>
  given.flatMap(({ author, resolved_by }) => [author, resolved_by]);

/** A note of an archive with its people as users. */
export const toImported =
  (projectId: number, people: ImportedPeople) =>
  (record: NoteRecord): ImportedNote => {
    const { id, snippet, commit_id } = record;
    return {
      key: id === undefined ? createHash('sha256').update(JSON.stringify(record)).digest('hex') : String(id),
      noteable: record.noteable_type,
      noteableIid: record.noteable_iid ?? 0,
      noteableName: snippet === null ? (commit_id ?? '') : archivedSnippet(projectId, snippet),
      type: record.type,
      thread: record.discussion_id,
      startsThread: record.type !== null,
      authorId: people.writer(record.author),
      body: record.body,
      system: record.system,
      action: record.action ?? undefined,
      internal: record.internal,
      resolvedById: people.user(record.resolved_by),
      resolvedAt: record.resolved_at ?? undefined,
      place: undefined,
      position: record.position ?? undefined,
      originalPosition: record.original_position ?? undefined,
      // One at no place that has lines could never be applied.
      suggestions:
        record.type === 'DiffNote' && maySuggest({ kind: record.noteable_type }, record.position ?? undefined)
          ? record.suggestions?.map((one) => ({
              ...{ linesAbove: one.lines_above, linesBelow: one.lines_below, fromContent: one.from_content },
              ...{ toContent: one.to_content, commitSha: one.commit_sha },
            }))
          : undefined,
      createdAt: record.created_at,
      updatedAt: record.updated_at,
    };
  };
