import type { NoteableRef } from '@switchyard/protos/collaboration/v1/note';
import type { z } from 'zod';
import type { ProjectAbility } from '../../http/abilities';
import { integer } from '../../http/params';

/** A kind of what carries notes, as its endpoints are declared. */
interface NoteableKind {
  /** Path of the object. */
  readonly path: string;
  /** Its parameters beside `:id`. */
  readonly path_params: z.ZodRawShape;
  /** What a summary calls it. */
  readonly name: string;
  readonly read: ProjectAbility;
  /** Who may comment: every reader, but not in an archived project. */
  readonly comment: ProjectAbility;
  /** Its notes lie under `notes` (G-4.6). */
  readonly hasNotes: boolean;
  /** It takes reactions itself. */
  readonly hasReactions: boolean;
  /** Its threads can be resolved (G-4.7-8). */
  readonly resolvable: boolean;
  /** Its threads may stand at a place of a diff (G-4.7-3). */
  readonly hasDiff: boolean;
  ref(projectId: number, path: Record<string, unknown>): NoteableRef;
}

/** Every kind; notes, discussions and reactions are declared for each row alike. */
export const noteables: readonly NoteableKind[] = [
  {
    path: '/projects/:id/issues/:issue_iid',
    path_params: { issue_iid: integer() },
    name: 'an issue',
    read: 'read_issue',
    comment: 'write_issue',
    hasNotes: true,
    hasReactions: true,
    resolvable: true,
    hasDiff: false,
    ref: (projectId, path) => ({ projectId, target: { $case: 'issueIid', value: path.issue_iid as number } }),
  },
  {
    path: '/projects/:id/merge_requests/:merge_request_iid',
    path_params: { merge_request_iid: integer() },
    name: 'a merge request',
    read: 'read_merge_request',
    comment: 'update_merge_request',
    hasNotes: true,
    hasReactions: true,
    resolvable: true,
    hasDiff: true,
    ref: (projectId, path) => ({
      projectId,
      target: { $case: 'mergeRequestIid', value: path.merge_request_iid as number },
    }),
  },
  {
    path: '/projects/:id/snippets/:snippet_id',
    path_params: { snippet_id: integer() },
    name: 'a snippet',
    read: 'read_snippet',
    comment: 'write_snippet',
    hasNotes: true,
    hasReactions: true,
    resolvable: false,
    hasDiff: false,
    ref: (projectId, path) => ({ projectId, target: { $case: 'snippetId', value: path.snippet_id as number } }),
  },
  {
    path: '/projects/:id/repository/commits/:commit_id',
    path_params: {},
    name: 'a commit',
    read: 'read_code',
    comment: 'comment_on_code',
    hasNotes: false,
    hasReactions: false,
    resolvable: false,
    hasDiff: true,
    ref: (projectId, path) => ({ projectId, target: { $case: 'commit', value: String(path.commit_id) } }),
  },
  {
    path: '/projects/:id/alert_management_alerts/:alert_iid',
    path_params: { alert_iid: integer() },
    name: 'an alert',
    read: 'read_alerts',
    comment: 'update_alerts',
    hasNotes: true,
    hasReactions: false,
    resolvable: false,
    hasDiff: false,
    ref: (projectId, path) => ({ projectId, target: { $case: 'alertIid', value: path.alert_iid as number } }),
  },
];
