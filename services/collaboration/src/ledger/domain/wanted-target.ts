import { invalidParams } from '@switchyard/errors';

/** What an entry is wanted about, as a request names it. */
export type WantedTarget =
  | { readonly type: string; readonly id: number }
  /** @param path full path of the project, of an epic that of the group; empty for the project of the request */
  | { readonly type: 'Issue' | 'MergeRequest' | 'Epic'; readonly path: string; readonly iid: number };

const byId = /^(Issue|MergeRequest|Commit|Snippet|Pipeline|Epic|Project|Namespace|AlertManagement::Alert):(\d{1,15})$/;
const byNumber = /^([\w.][\w./-]{0,500})?([#!&])(\d{1,15})$/;

/** Types by the signs of their numbers. */
const numbered = { '#': 'Issue', '!': 'MergeRequest', '&': 'Epic' } as const;

/**
 * Reads a target: `Issue:17`, `group/project#3`, `group/project!7`, `group&2`, `#3`, `!7`; undefined for an empty text.
 * @throws AppError invalid_params for another text
 */
export function wantedTarget(text: string): WantedTarget | undefined {
  if (text === '') return undefined;
  const named = byId.exec(text);
  if (named !== null) return { type: named[1] ?? '', id: Number(named[2]) };
  const [, path = '', sign, iid] = byNumber.exec(text) ?? [];
  // No request is about a group of its own, so an epic is named with its group.
  if (sign === undefined || (sign === '&' && path === '')) throw invalidParams('target is invalid');
  return { type: numbered[sign as keyof typeof numbered], path, iid: Number(iid) };
}

/** A target by its id, or by its number in a project or group. */
export type FoundTarget =
  | { readonly type: string; readonly id: number }
  | { readonly type: string; readonly projectId: number; readonly iid: number }
  | { readonly type: string; readonly groupId: number; readonly iid: number };
