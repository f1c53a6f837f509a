import { userReference } from '@switchyard/directory';
import { type Noteable, noteableRules } from '../../noteables';
import type { NotePosition } from '../domain/note-position';
import type { NoteRow } from '../domain/note-row';
import { presentSuggestion } from './suggestion.presenter';

type Shown = Pick<Noteable, 'kind' | 'targetId' | 'iid' | 'projectId' | 'sha' | 'state' | 'headSha'>;

/** The public position of a diff note. */
export const presentPosition = (position: NotePosition) => ({
  base_sha: position.baseSha,
  start_sha: position.startSha,
  head_sha: position.headSha,
  old_path: position.oldPath,
  new_path: position.newPath,
  position_type: position.positionType,
  ...(position.positionType === 'text'
    ? {
        old_line: position.oldLine ?? null,
        new_line: position.newLine ?? null,
        line_range: position.lineRange ?? null,
      }
    : {}),
  ...(position.positionType === 'image'
    ? {
        width: position.width ?? null,
        height: position.height ?? null,
        x: position.x ?? null,
        y: position.y ?? null,
      }
    : {}),
});

/**
 * The public note (api.md section 2, G-2-2, G-2-15). The author's `email` is the public one.
 */
export function presentNote(note: NoteRow, noteable: Shown, externalUrl: string) {
  const rules = noteableRules[noteable.kind];
  const resolvable = rules.resolvable && note.type !== undefined && !note.system;
  return {
    id: note.id,
    type: note.type ?? null,
    body: note.body,
    attachment: null,
    author: note.author && {
      ...userReference(note.author, externalUrl),
      email: note.author.public_email ?? '',
      created_at: note.authorCreatedAt ?? null,
    },
    created_at: note.createdAt,
    updated_at: note.updatedAt,
    system: note.system,
    noteable_id: noteable.targetId === 0 ? null : noteable.targetId,
    noteable_type: noteable.kind,
    project_id: noteable.projectId === 0 ? null : noteable.projectId,
    ...(noteable.kind === 'Commit' || note.type === 'DiffNote'
      ? { commit_id: noteable.sha || (note.position?.commitId ?? null) }
      : {}),
    ...(note.type === 'DiffNote'
      ? {
          position: note.position === undefined ? null : presentPosition(note.position),
          suggestions: note.suggestions.map((one) => presentSuggestion(one, note.position, noteable)),
        }
      : {}),
    resolvable,
    ...(resolvable
      ? {
          resolved: note.resolvedAt !== undefined,
          resolved_by: note.resolvedBy === undefined ? null : userReference(note.resolvedBy, externalUrl),
          resolved_at: note.resolvedAt ?? null,
        }
      : {}),
    confidential: note.internal,
    internal: note.internal,
    imported: note.importedFrom !== 'none',
    imported_from: note.importedFrom,
    ...(rules.printsIid ? { noteable_iid: noteable.iid ?? null } : {}),
    commands_changes: {},
  };
}
