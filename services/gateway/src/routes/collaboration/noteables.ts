import type { NoteableRef } from '@switchyard/protos/collaboration/v1/note';
import type { z } from 'zod';
import type { GroupAbility, ProjectAbility } from '../../http/abilities';
import { integer } from '../../http/params';
import type { RouteHome } from '../../http/route';
import { epicsHome } from './epics/epics-home';

type NoteableAccess = { readonly project: ProjectAbility } | { readonly group: GroupAbility };

/** A kind of what carries notes, as its endpoints are declared. */
interface NoteableKind extends RouteHome {
  /** Its parameters beside `:id`. */
  readonly path_params: z.ZodRawShape;
  /** What a summary calls it. */
  readonly name: string;
  readonly read: NoteableAccess;
  /** Who may comment: every reader, but not in an archived project. */
  readonly comment: NoteableAccess;
  /** Tier that the kind needs; undefined: none. */
  readonly tier?: 'premium';
  /** Its notes lie under `notes` (G-4.6). */
  readonly hasNotes: boolean;
  /** It takes reactions itself. */
  readonly hasReactions: boolean;
  /** How the endpoints of its own reactions name it, where that is another way. */
  readonly reactions?: Pick<NoteableKind, keyof RouteHome | 'path_params' | 'ref'>;
  /** Its threads can be resolved (G-4.7-8). */
  readonly resolvable: boolean;
  /** Its threads may stand at a place of a diff (G-4.7-3). */
  readonly hasDiff: boolean;
  /** @param placeId id of the project or group of the path */
  ref(placeId: number, path: Record<string, unknown>): NoteableRef;
}

/** Every kind; notes, discussions and reactions are declared for each row alike. */
export const noteables: readonly NoteableKind[] = [
  {
    path: '/projects/:id/issues/:issue_iid',
    path_params: { issue_iid: integer() },
    name: 'an issue',
    read: { project: 'read_issue' },
    comment: { project: 'write_issue' },
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
    read: { project: 'read_merge_request' },
    comment: { project: 'update_merge_request' },
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
    read: { project: 'read_snippet' },
    comment: { project: 'write_snippet' },
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
    read: { project: 'read_code' },
    comment: { project: 'comment_on_code' },
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
    read: { project: 'read_alerts' },
    comment: { project: 'update_alerts' },
    hasNotes: true,
    hasReactions: false,
    resolvable: false,
    hasDiff: false,
    ref: (projectId, path) => ({ projectId, target: { $case: 'alertIid', value: path.alert_iid as number } }),
  },
  {
    path: `${epicsHome.path}/:epic_id`,
    otherPath: `${epicsHome.otherPath}/:epic_id`,
    path_params: { epic_id: integer() },
    name: 'an epic',
    read: { group: 'read_epic' },
    comment: { group: 'read_epic' },
    tier: 'premium',
    hasNotes: true,
    hasReactions: true,
    reactions: {
      path: `${epicsHome.path}/:epic_iid`,
      otherPath: `${epicsHome.otherPath}/:epic_iid`,
      path_params: { epic_iid: integer() },
      ref: (projectId, path) => ({ projectId, target: { $case: 'epicIid', value: path.epic_iid as number } }),
    },
    resolvable: true,
    hasDiff: false,
    ref: (projectId, path) => ({ projectId, target: { $case: 'epicId', value: path.epic_id as number } }),
  },
];
