import type { UserRow } from '@switchyard/directory';

/** What was pushed, as it is printed; `action` and `ref_type` of a bulk push are not. */
export interface PushDataRow {
  action: 'created' | 'pushed' | 'removed';
  ref_type: string;
  commit_count: number;
  commit_from: string | null;
  commit_to: string | null;
  ref: string | null;
  commit_title: string | null;
  ref_count: number | null;
}

/** An event with what it is printed with. */
export interface ActivityRow {
  id: number;
  projectId: number;
  authorId: number;
  action: string;
  targetType: string | undefined;
  targetId: number | undefined;
  targetIid: number | undefined;
  targetTitle: string | undefined;
  push: PushDataRow | undefined;
  imported: boolean;
  createdAt: Date;
  author: UserRow | undefined;
  /** The comment; its author is the event's. */
  note: { id: number; body: string; type: string | undefined; system: boolean; createdAt: Date } | undefined;
  /** What the event is filed under. */
  subject: { type: string; id: number };
}
