/** What was done (G-4.8-1). */
export type ActivityAction =
  | 'approved'
  | 'closed'
  | 'commented'
  | 'created'
  | 'destroyed'
  | 'expired'
  | 'joined'
  | 'left'
  | 'merged'
  | 'pushed'
  | 'reopened'
  | 'updated';

/** What an activity belongs to: users who may read that may read the activity. */
export type ActivitySubject = 'project' | 'repository' | 'merge_request' | 'issue' | 'snippet' | 'milestone';

/** What was pushed (api.md section 2, G-2-21). */
export interface PushData {
  readonly action: 'created' | 'pushed' | 'removed';
  readonly refType: 'branch' | 'tag';
  /** Undefined where one activity shows several refs (G-4.8-7). */
  readonly single?: {
    readonly commitCount: number;
    /** Undefined for a new ref. */
    readonly commitFrom: string | undefined;
    /** Undefined for a removed ref. */
    readonly commitTo: string | undefined;
    readonly ref: string;
    readonly commitTitle: string | undefined;
  };
  /** Number of refs that one activity shows; undefined for one. */
  readonly refCount?: number;
}

/** One activity event. */
export interface Activity {
  /** Derived from the event: the same cause at the same time is the same activity. */
  readonly cause: string;
  readonly projectId: number;
  readonly authorId: number;
  readonly action: ActivityAction;
  readonly target?:
    | {
        /** As the filter `target_type` names it. */
        readonly type: 'issue' | 'merge_request' | 'milestone' | 'note' | 'project' | 'snippet';
        readonly id: number;
        /** Undefined for what has no number of its own. */
        readonly iid: number | undefined;
        readonly title: string;
      }
    | undefined;
  readonly subject: { readonly type: ActivitySubject /** 0: nothing that goes by itself. */; readonly id: number };
  readonly push?: PushData;
  readonly imported: boolean;
  readonly createdAt: Date;
}

/** What follows for the feed from something that happened, in this order. */
export interface ActivityChange {
  /** Every event filed under this goes, and none comes after it. */
  readonly forget?: { readonly type: ActivitySubject; readonly id: number };
  /** The event of one comment goes. */
  readonly forgetNote?: { readonly type: ActivitySubject; readonly id: number; readonly noteId: number };
  /** Events filed under this show a new title. */
  readonly retitle?: { readonly type: ActivitySubject; readonly id: number; readonly title: string };
  /** An event is added. */
  readonly add?: Activity;
}

/** Most refs of one kind that a push changes in one way and that are shown one by one (G-4.8-7). */
const bulkAbove = 3;

const noCommit = /^0+$/;

/** A ref that moved. */
export interface RefMove {
  readonly eventId: string;
  readonly projectId: number;
  /** 0 for the service itself. */
  readonly authorId: number;
  readonly refName: string;
  readonly refType: 'branch' | 'tag';
  readonly action: 'created' | 'pushed' | 'removed';
  readonly before: string;
  readonly after: string;
  readonly commitCount: number;
  readonly commitTitle: string;
  /** The push it was part of; empty when unknown. */
  readonly pushId: string;
  /** Refs of this kind that the push moved in this way, this one included; at least 1. */
  readonly refCount: number;
  readonly pushedAt: Date;
}

/** The event of a moved ref; all refs of a bulk push give the same one. */
export function activityOfPush(move: RefMove): ActivityChange {
  if (move.authorId === 0) return {};
  const common = { action: move.action, refType: move.refType };
  const bulk = move.pushId !== '' && move.refCount > bulkAbove;
  return {
    add: {
      cause: bulk ? `push:${move.pushId}:${move.refType}:${move.action}` : move.eventId,
      projectId: move.projectId,
      authorId: move.authorId,
      action: 'pushed',
      subject: { type: 'repository', id: 0 },
      push: bulk
        ? { ...common, refCount: move.refCount }
        : {
            ...common,
            single: {
              commitCount: move.commitCount,
              commitFrom: noCommit.test(move.before) ? undefined : move.before,
              commitTo: noCommit.test(move.after) ? undefined : move.after,
              ref: move.refName,
              commitTitle: move.commitTitle || undefined,
            },
          },
      imported: false,
      createdAt: move.pushedAt,
    },
  };
}

/** How merge requests and issues change, as far as the feed shows it. */
type IssuableAction = 'created' | 'closed' | 'reopened' | 'merged' | 'approved' | 'retitled' | 'deleted' | 'other';

/** Something that happened to a merge request or an issue. */
export interface IssuableActivity {
  readonly eventId: string;
  readonly type: 'merge_request' | 'issue';
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly authorId: number;
  /** 0 when no user did it. */
  readonly actorId: number;
  readonly title: string;
  readonly action: IssuableAction;
  readonly imported: boolean;
  readonly at: Date;
}

/** What follows from an event of a merge request or an issue. Without an actor, its author is shown. */
export function activityOfIssuable(done: IssuableActivity): ActivityChange {
  const subject = { type: done.type, id: done.id };
  const { action } = done;
  if (action === 'other') return {};
  if (action === 'deleted') return { forget: subject };
  if (action === 'retitled') return { retitle: { ...subject, title: done.title } };
  return {
    add: {
      cause: done.eventId,
      projectId: done.projectId,
      authorId: done.actorId || done.authorId,
      action,
      target: { type: done.type, id: done.id, iid: done.iid, title: done.title },
      subject,
      imported: done.imported,
      createdAt: done.at,
    },
  };
}

/** Something that happened to a milestone of a project. */
export interface MilestoneActivity {
  readonly eventId: string;
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly userId: number;
  readonly title: string;
  readonly action: 'created' | 'renamed' | 'closed' | 'activated' | 'deleted';
  readonly at: Date;
}

/** What follows from an event of a milestone. The activity of its deletion stays. */
export function activityOfMilestone(done: MilestoneActivity): ActivityChange {
  const milestone = { type: 'milestone', id: done.id } as const;
  if (done.action === 'renamed') return { retitle: { ...milestone, title: done.title } };
  const gone = done.action === 'deleted';
  const actions = { created: 'created', closed: 'closed', activated: 'reopened', deleted: 'destroyed' } as const;
  return {
    ...(gone ? { forget: milestone } : {}),
    add: {
      cause: done.eventId,
      projectId: done.projectId,
      authorId: done.userId,
      action: actions[done.action],
      target: { ...milestone, iid: done.iid, title: done.title },
      subject: gone ? { type: 'project', id: 0 } : milestone,
      imported: false,
      createdAt: done.at,
    },
  };
}

/** Something that happened to a snippet of a project. */
export interface SnippetActivity {
  readonly eventId: string;
  readonly id: number;
  readonly projectId: number;
  readonly userId: number;
  readonly title: string;
  readonly action: 'created' | 'renamed' | 'deleted';
  readonly at: Date;
}

/** What follows from a snippet. */
export function activityOfSnippet({
  eventId,
  id,
  projectId,
  userId,
  title,
  action,
  at,
}: SnippetActivity): ActivityChange {
  const subject = { type: 'snippet', id } as const;
  if (action === 'deleted') return { forget: subject };
  if (action === 'renamed') return { retitle: { ...subject, title } };
  const target = { ...subject, iid: undefined, title };
  const common = { cause: eventId, projectId, authorId: userId, subject, imported: false, createdAt: at };
  return { add: { ...common, action: 'created', target } };
}

/** A comment that was written or deleted. */
export interface CommentActivity {
  readonly eventId: string;
  readonly noteId: number;
  /** `Issue`, `MergeRequest`, `Snippet` or `Commit`. */
  readonly noteableKind: string;
  /** 0 for a commit. */
  readonly noteableId: number;
  /** 0 where there is none. */
  readonly noteableIid: number;
  readonly noteableTitle: string;
  readonly projectId: number;
  readonly authorId: number;
  readonly action: 'written' | 'deleted';
  /** One note of a thread: the feed does not show those (api.md 4.6, Terms). */
  readonly inThread: boolean;
  readonly at: Date;
}

const noteableSubjects: Readonly<Record<string, ActivitySubject>> = {
  Issue: 'issue',
  MergeRequest: 'merge_request',
  Snippet: 'snippet',
  Commit: 'repository',
};

/** What follows from a comment. */
export function activityOfComment(done: CommentActivity): ActivityChange {
  const type = noteableSubjects[done.noteableKind];
  if (type === undefined) return {};
  // A commit has no id: a comment on one is filed under its own.
  const subject = { type, id: type === 'repository' ? done.noteId : done.noteableId };
  if (done.action === 'deleted') return { forgetNote: { ...subject, noteId: done.noteId } };
  if (done.inThread) return {};
  return {
    add: {
      cause: done.eventId,
      projectId: done.projectId,
      authorId: done.authorId,
      action: 'commented',
      target: { type: 'note', id: done.noteId, iid: done.noteableIid || undefined, title: done.noteableTitle },
      subject,
      imported: false,
      createdAt: done.at,
    },
  };
}

/** Something that happened to a project or its members. */
export interface ProjectActivity {
  readonly eventId: string;
  readonly projectId: number;
  /** The user whom the feed names; 0 for none. */
  readonly userId: number;
  readonly action: 'created' | 'joined' | 'left' | 'expired';
  readonly at: Date;
}

/** The event of a project that was made, or of a member who came or went. */
export function activityOfProject({ eventId, projectId, userId, action, at }: ProjectActivity): ActivityChange {
  if (userId === 0) return {};
  const about = { projectId, authorId: userId, subject: { type: 'project', id: 0 } as const, imported: false };
  const target =
    action === 'created' ? ({ type: 'project', id: projectId, iid: undefined, title: '' } as const) : undefined;
  return { add: { ...about, target, cause: eventId, action, createdAt: at } };
}

/** Selects events; what is undefined selects all. */
export interface ActivityFilter {
  readonly action?: string | undefined;
  /** As the request names it. */
  readonly targetType?: string | undefined;
  /** `YYYY-MM-DD`: before 00:00 UTC of that day (G-4.8-2). */
  readonly before?: string | undefined;
  /** `YYYY-MM-DD`: after 24:00 UTC of that day. */
  readonly after?: string | undefined;
}
