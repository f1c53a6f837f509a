import type { DirectoryProjectRow, LabelRow, NamespaceRow, UserRow } from '@switchyard/directory';

/** An issue as bodies say it. */
export interface HookIssue {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly author_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly issue_type: string;
  readonly confidential: boolean;
  readonly severity: string;
  readonly discussion_locked: boolean | null;
  readonly milestone_id: number | null;
  readonly due_on: string | null;
  readonly weight: number | null;
  readonly health_status: string | null;
  readonly time_estimate: number;
  readonly total_time_spent: number;
  readonly closed_at: Date | null;
  readonly moved_to_id: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly assignee_ids: readonly number[];
  readonly label_ids: readonly number[];
}

/** An epic as bodies say it. */
export interface HookEpic {
  readonly id: number;
  readonly iid: number;
  readonly group_id: number;
  readonly author_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly confidential: boolean;
  readonly color: string;
  /** `YYYY-MM-DD`, fixed or inherited. */
  readonly start_on: string | null;
  readonly due_on: string | null;
  readonly closed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly label_ids: readonly number[];
}

/** A note as bodies say it. */
export interface HookNote {
  readonly id: number;
  /** 0 on an epic. */
  readonly project_id: number;
  readonly author_id: number;
  readonly body: string;
  readonly type: string | null;
  readonly internal: boolean;
  /** Forty hexadecimal digits. */
  readonly discussion_id: string;
  readonly position: Readonly<Record<string, unknown>> | null;
  readonly resolved_at: Date | null;
  readonly resolved_by_id: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A snippet as bodies say it. */
export interface HookSnippet {
  readonly id: number;
  readonly project_id: number;
  readonly author_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly visibility: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly path: string | null;
  readonly content: string | null;
}

/** A reaction that is still there. */
export interface HookAward {
  readonly id: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A reaction by what it is known by. */
export interface AwardKey {
  readonly type: string;
  readonly on: number;
  readonly name: string;
  readonly userId: number;
}

/** The name of a reaction in `HookFacts.awards`. */
export const awardName = ({ type, on, name, userId }: AwardKey): string => `${type} ${on} ${name} ${userId}`;

/** A commit of a project. */
export interface CommitKey {
  readonly projectId: number;
  readonly sha: string;
}

/** The name of a commit in `NoteableParts.commits`. */
export const commitName = ({ projectId, sha }: CommitKey): string => `${projectId} ${sha}`;

/** What the owner of merge requests and commits shows of them: finished parts of bodies. What is gone is missing. */
export interface NoteableParts {
  readonly mergeRequests: ReadonlyMap<number, object>;
  readonly commits: ReadonlyMap<string, object>;
}

/** What the database knows now of those that events name; what is gone is missing. */
export interface HookFacts {
  readonly users: ReadonlyMap<number, UserRow>;
  readonly projects: ReadonlyMap<number, DirectoryProjectRow>;
  readonly groups: ReadonlyMap<number, NamespaceRow>;
  readonly labels: ReadonlyMap<number, LabelRow>;
  readonly epics: ReadonlyMap<number, HookEpic>;
  readonly issues: ReadonlyMap<number, HookIssue>;
  readonly notes: ReadonlyMap<number, HookNote>;
  readonly snippets: ReadonlyMap<number, HookSnippet>;
  readonly awards: ReadonlyMap<string, HookAward>;
  readonly parts: NoteableParts;
}

/** What the bodies of an event need. */
export interface Named {
  readonly users: readonly number[];
  readonly projects: readonly number[];
  readonly groups: readonly number[];
  readonly labels: readonly number[];
  readonly epics: readonly number[];
  readonly issues: readonly number[];
  readonly notes: readonly number[];
  readonly snippets: readonly number[];
  readonly awards: readonly AwardKey[];
  readonly mergeRequests: readonly number[];
  readonly commits: readonly CommitKey[];
}
