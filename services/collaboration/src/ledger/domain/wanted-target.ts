import { invalidParams } from '@switchyard/errors';

/** What an entry is wanted about, as a request names it. */
export type WantedTarget =
  | { readonly type: string; readonly id: number }
  /** @param path full path of the project; empty for the project of the request */
  | { readonly type: 'Issue' | 'MergeRequest'; readonly path: string; readonly iid: number };

const byId = /^(Issue|MergeRequest|Commit|Snippet|Pipeline|Project|Namespace|AlertManagement::Alert):(\d{1,15})$/;
const byNumber = /^([\w.][\w./-]{0,500})?([#!])(\d{1,15})$/;

/**
 * Reads a target: `Issue:17`, `group/project#3`, `group/project!7`, `#3`, `!7`; undefined for an empty text.
 * @throws AppError invalid_params for another text
 */
export function wantedTarget(text: string): WantedTarget | undefined {
  if (text === '') return undefined;
  const named = byId.exec(text);
  if (named !== null) return { type: named[1] ?? '', id: Number(named[2]) };
  const numbered = byNumber.exec(text);
  if (numbered === null) throw invalidParams('target is invalid');
  return { type: numbered[2] === '#' ? 'Issue' : 'MergeRequest', path: numbered[1] ?? '', iid: Number(numbered[3]) };
}

/** A target by its id, or by its number in a project. */
export type FoundTarget =
  | { readonly type: string; readonly id: number }
  | { readonly type: string; readonly projectId: number; readonly iid: number };
