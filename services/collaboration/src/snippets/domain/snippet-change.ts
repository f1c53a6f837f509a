import { isAppError } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import { requireUnmodified } from '../../noteables';
import {
  applyActions,
  checkDescription,
  checkFiles,
  checkTitle,
  type SnippetFile,
  type SnippetFileAction,
} from './snippet';
import type { SnippetFields, SnippetOrigin, SnippetPlace, SnippetRow } from './snippet-row';

/** A request to make or change a snippet; in a change, what is undefined stays. */
export interface SnippetChange {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly visibility: string | undefined;
  readonly files: readonly SnippetFileAction[];
}

/** A snippet that was written elsewhere. */
export interface ImportedSnippet {
  readonly place: SnippetPlace;
  readonly change: SnippetChange;
  readonly origin: SnippetOrigin;
}

/** A snippet as a change finds it: locked until the change is saved. */
export interface LockedSnippet {
  readonly snippet: SnippetRow;
  /** Empty unless the change asked for them. */
  readonly files: readonly SnippetFile[];
}

/** The result of a decision about a snippet. */
export type SnippetDecision =
  | { readonly kind: 'edit'; readonly fields: SnippetFields; readonly renamed: boolean }
  | { readonly kind: 'delete' };

/**
 * The fields of a new snippet.
 * @throws AppError invalid
 */
export function newSnippet({ title = '', description, visibility = 'private', files }: SnippetChange): SnippetFields {
  checkTitle(title);
  checkDescription(description);
  const given = files.map(({ path, content }) => ({ path, content: content ?? '' }));
  checkFiles(given);
  return { title: displayText(title), description: description || undefined, visibility, files: given };
}

/** `newSnippet`; undefined where no snippet can have these fields. */
export function importedFields(change: SnippetChange): SnippetFields | undefined {
  try {
    return newSnippet(change);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/**
 * Requires texts that a snippet may have.
 * @throws AppError invalid
 */
export function checkTexts({ title, description }: Pick<SnippetChange, 'title' | 'description'>): void {
  if (title !== undefined) checkTitle(title);
  checkDescription(description);
}

/**
 * Changes fields and files of a snippet.
 * @throws AppError invalid
 */
export function decideEdit({ snippet, files }: LockedSnippet, change: SnippetChange): SnippetDecision {
  const title = change.title === undefined ? snippet.title : displayText(change.title);
  const fields = {
    title,
    description: change.description === undefined ? snippet.description : change.description || undefined,
    visibility: change.visibility ?? snippet.visibility,
    files: applyActions(files, change.files),
  };
  return { kind: 'edit', fields, renamed: title !== snippet.title };
}

/**
 * Deletes a snippet.
 * @throws AppError precondition_failed when it changed after `unmodifiedSince`
 */
export function decideDeletion({ snippet }: LockedSnippet, unmodifiedSince: Date | undefined): SnippetDecision {
  requireUnmodified(snippet, unmodifiedSince);
  return { kind: 'delete' };
}
