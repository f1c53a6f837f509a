import { badRequest } from '@switchyard/errors';
import type { Noteable } from '../../noteables';
import type { NotePosition } from './note-position';

/** A change of lines that a note suggests, as a block of its text has it. */
export interface SuggestedBlock {
  /** Lines above the line of the note that it replaces too, 0 to 100. */
  readonly linesAbove: number;
  /** The same below. */
  readonly linesBelow: number;
  readonly lines: readonly string[];
}

/** A suggestion to be written. */
export interface NewSuggestion {
  readonly linesAbove: number;
  readonly linesBelow: number;
  /** The lines that it replaces, with their ends. */
  readonly fromContent: string;
  /** What they become, with the ends of lines; empty: they are removed. */
  readonly toContent: string;
}

/** A suggestion of a note. */
export interface Suggestion extends NewSuggestion {
  readonly id: number;
  readonly applied: boolean;
}

/** A suggestion with the note that makes it. */
export interface SuggestionRow extends Suggestion {
  readonly noteId: number;
  readonly authorId: number;
  readonly internal: boolean;
  readonly position: NotePosition;
  readonly projectId: number;
  /** Id of the merge request. */
  readonly targetId: number;
}

/** Suggestions of one note: all of them are shown with it. */
export const maxSuggestions = 20;

/** Suggestions that one commit applies. */
export const maxApplied = 100;

/** Lines above or below that a suggestion may replace; more counts as that many. */
export const maxContext = 100;

const opening = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/;
const mark = /^suggestion(?::(?:-(\d{1,9}))?(?:\+(\d{1,9}))?)?(?:\s|$)/;

const context = (digits: string | undefined): number => Math.min(Number(digits ?? 0), maxContext);

/** Suggestions in a text: its fenced blocks that are marked `suggestion`, or `suggestion:-3+1`. */
export function suggestedBlocks(text: string): SuggestedBlock[] {
  const blocks: SuggestedBlock[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', fence, info = ''] = opening.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
    const first = at + 1;
    at = first;
    while (at < lines.length && !closing.test(lines[at] ?? '')) at += 1;
    const marked = mark.exec(info);
    if (marked === null) continue;
    const indented = new RegExp(`^ {0,${indent.length}}`);
    blocks.push({
      linesAbove: context(marked[1]),
      linesBelow: context(marked[2]),
      lines: lines.slice(first, at).map((line) => line.replace(indented, '')),
    });
  }
  return blocks;
}

/**
 * Refuses a text with more suggestions than a note may make.
 * @throws AppError bad_request
 */
export function checkSuggestions(blocks: readonly SuggestedBlock[]): void {
  if (blocks.length > maxSuggestions)
    throw badRequest(`Note {:note=>["has too many suggestions (maximum is ${maxSuggestions})"]}`);
}

/** What the lines become: with the end of line that they have. Nothing but blanks removes them. */
export function suggestedContent({ lines }: SuggestedBlock, fromContent: string): string {
  if (lines.every((line) => line.trim() === '')) return '';
  const end = /(\r?\n)?$/.exec(fromContent)?.[1] ?? '';
  return lines.join(fromContent.includes('\r\n') ? '\r\n' : '\n') + end;
}

/** Whether a note at a place can suggest changes: it stands at a line that there is after the change. */
export const maySuggest = (
  { kind }: Pick<Noteable, 'kind'>,
  position: NotePosition | undefined,
): position is NotePosition & { readonly newLine: number } =>
  kind === 'MergeRequest' &&
  position?.positionType === 'text' &&
  position.newLine !== undefined &&
  position.commitId === undefined;

/** Whether a suggestion can be applied, as far as notes know: the repository is asked when it is. */
export const isAppliable = (
  { applied, fromContent, toContent }: Suggestion,
  position: NotePosition,
  { state, headSha }: Pick<Noteable, 'state' | 'headSha'>,
): boolean => !applied && state === 'opened' && position.headSha === headSha && fromContent !== toContent;
