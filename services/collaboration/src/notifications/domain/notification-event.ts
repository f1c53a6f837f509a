/** What mail can be about. */
export type SubjectType = 'Issue' | 'MergeRequest' | 'Commit' | 'Snippet' | 'Pipeline' | 'Project' | 'Epic';

/** The thing that an event happened to. */
export interface Subject {
  readonly type: SubjectType;
  /** Id; of a commit that of the row its notes hang on. */
  readonly id: number;
  /** Number within the project or group; 0 for none. */
  readonly iid: number;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; absent for everything else. */
  readonly groupId?: number;
}

/** Names the project or group that a subject lies in. */
export const placeName = ({ projectId, groupId = 0 }: Pick<Subject, 'projectId' | 'groupId'>): string =>
  `${projectId}:${groupId}`;

/** Everything that mail is sent for. Those of the names of flags have that flag (api.md section 2). */
export type Action =
  | 'new_note'
  | 'mention_in_note'
  | 'new_issue'
  | 'mention_in_issue'
  | 'reopen_issue'
  | 'close_issue'
  | 'reassign_issue'
  | 'move_issue'
  | 'issue_due'
  | 'new_merge_request'
  | 'mention_in_merge_request'
  | 'push_to_merge_request'
  | 'reopen_merge_request'
  | 'close_merge_request'
  | 'reassign_merge_request'
  | 'change_reviewer_merge_request'
  | 'merge_merge_request'
  | 'merge_when_pipeline_succeeds'
  | 'approve_merge_request'
  | 'unapprove_merge_request'
  | 'merge_request_unmergeable'
  | 'merge_train_removed'
  | 'approver'
  | 'failed_pipeline'
  | 'fixed_pipeline'
  | 'success_pipeline'
  | 'moved_project'
  | 'new_release'
  | 'new_epic'
  | 'mention_in_epic'
  | 'reopen_epic'
  | 'close_epic';

/** What an event says beyond its name; what is empty is not stored. */
export interface EventFacts {
  /** Title of the subject when it happened. */
  readonly title: string;
  /** Markdown that the event brought, its first 32,768 characters; notes are read when the mail is sent. */
  readonly text?: string;
  /** Note that it is about. */
  readonly noteId?: number;
  /** Names that a text mentions, in lower case; of users, groups and `all`. */
  readonly mentions?: readonly string[];
  /** Users who were assigned. */
  readonly assigned?: readonly number[];
  /** Users whose assignment was taken away. */
  readonly unassigned?: readonly number[];
  /** Users whose review was asked for. */
  readonly reviewRequested?: readonly number[];
  /** Users whose review is no longer wanted. */
  readonly reviewRemoved?: readonly number[];
  /** Users whose approval a rule demands. */
  readonly approvers?: readonly number[];
  /** Further users whom it concerns directly: who added a merge request to a train, who set auto-merge. */
  readonly concerned?: readonly number[];
  /** Whose pipeline it is. */
  readonly ownerId?: number;
  /** Branch, tag or ref of a pipeline. */
  readonly ref?: string;
  /** Commit of a pipeline, a push or a commit that has notes. */
  readonly sha?: string;
  /** Commits that a push brought. */
  readonly commits?: number;
  /** `YYYY-MM-DD`. */
  readonly dueDate?: string;
  /** Full path of a project before it was moved. */
  readonly oldPath?: string;
}

/** An event that may lead to mail. */
export interface NotificationEvent {
  readonly action: Action;
  readonly subject: Subject;
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly facts: EventFacts;
  readonly occurredAt: Date;
}
