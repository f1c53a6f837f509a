/** Least access level that sees and writes internal notes (G-4.6-9). */
export const reporter = 20;

/** Which notes a list shows (G-4.6-1). */
export type ActivityFilter = 'all_notes' | 'only_comments' | 'only_activity';

/** A note as it is stored. */
export interface Note {
  readonly id: number;
  readonly noteableId: number;
  readonly projectId: number;
  /** Forty lower-case hexadecimal digits (G-2-19). */
  readonly discussionId: string;
  readonly startsDiscussion: boolean;
  /** Undefined: a comment of its own. */
  readonly type: 'DiscussionNote' | 'DiffNote' | undefined;
  readonly authorId: number;
  readonly body: string;
  readonly system: boolean;
  readonly internal: boolean;
  readonly resolvedAt: Date | undefined;
  readonly resolvedById: number | undefined;
  readonly importedFrom: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
