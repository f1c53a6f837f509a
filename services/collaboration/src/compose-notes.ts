import type { Database } from '@switchyard/database';
import { type Directory, writtenNames } from '@switchyard/directory';
import { type EventBus, startConsumer } from '@switchyard/events';
import type { Peer, ServiceImplementation } from '@switchyard/rpc';
import { type Logger, observe } from '@switchyard/telemetry';
import { commandSteps } from '@switchyard/texts';
import { createAward, deleteAward, getAward, giveAward, listAwards } from './application/award-emoji';
import { changeNoteable } from './application/change-noteable';
import { createCommitComment, listCommitComments } from './application/comment-on-commits';
import { countNotes } from './application/count-notes';
import {
  createDiscussion,
  type DiscussionEdges,
  getDiscussion,
  getDiscussionNote,
  listDiscussionNotes,
  listDiscussions,
  replyToDiscussion,
  resolveDiscussion,
  resolveDiscussionNote,
} from './application/discuss';
import { limitNotes } from './application/limit-notes';
import { getNote, listNotes } from './application/list-notes';
import { moveDiffNotes } from './application/move-diff-notes';
import { noteIssues } from './application/note-issues';
import { noteMergeRequests } from './application/note-merge-requests';
import { findNoteable } from './application/noteables';
import { purgeNotes } from './application/purge-notes';
import { commandTodos } from './application/quick-action-todos';
import { runQuickActions } from './application/run-quick-actions';
import { createNote, deleteNote, type NoteWriting, updateNote } from './application/write-notes';
import { type Issues, issueReferences } from './issues';
import type { MergeRequestFollower } from './merge-requests';
import { noteableStore } from './noteables';
import type { Snippets } from './snippets';
import { awardStore } from './storage/award-emoji.store';
import { diffNoteStore } from './storage/diff-note.store';
import { discussionList } from './storage/discussion.list';
import { noteList } from './storage/note.list';
import { noteRateStore } from './storage/note-rate.store';
import { systemNotes } from './storage/system-note.store';
import type { TodoStore } from './storage/todo.store';
import { alertNoteables } from './transport/alert-noteable';
import { awardEmojiHandler } from './transport/award-emoji.handler';
import { commitNoteables } from './transport/commit-noteable';
import { diffPlaces } from './transport/diff-places';
import { discussionHandler } from './transport/discussion.handler';
import { issueNoteSubscription } from './transport/issue-note.subscription';
import { systemNoteFollower } from './transport/merge-request-note.follower';
import { mergeRequestNoteables } from './transport/merge-request-noteable';
import { mergeRequestEditor } from './transport/merge-request-quick-action';
import { noteHandler } from './transport/note.handler';

/** Consumer group of the notes of issues: apart from that of to-dos, so that neither waits for the other. */
const noteGroup = 'collaboration.notes';

/** What notes are built from. */
export interface NoteEdges {
  readonly db: Database;
  readonly mergeRequests: Peer;
  readonly alerts: Peer;
  readonly directory: Directory;
  readonly bus: EventBus;
  readonly todos: TodoStore;
  readonly issues: Issues['noteables'];
  readonly snippets: Pick<Snippets, 'find'>;
  readonly externalUrl: string;
  readonly emojiNotesReact: boolean;
  readonly perMinute: number;
  readonly unlimited: ReadonlySet<string>;
  readonly log: Logger;
}

/** Notes, as parts of the service. */
export interface NoteParts {
  readonly services: readonly ServiceImplementation[];
  readonly mergeRequestFollowers: readonly MergeRequestFollower[];
  /** Starts what runs beside requests. */
  start(): Promise<{ close(): Promise<void> }[]>;
}

/** Builds notes, discussions and reactions for every kind of noteable. */
export function composeNotes(edges: NoteEdges): NoteParts {
  const { db, mergeRequests, directory, todos, issues, externalUrl, emojiNotesReact, perMinute, unlimited, log } =
    edges;
  const clock = () => new Date();
  const find = findNoteable({
    MergeRequest: mergeRequestNoteables(mergeRequests, directory.sequence),
    Issue: issues.find,
    Snippet: edges.snippets.find,
    Commit: commitNoteables(mergeRequests, externalUrl),
    'AlertManagement::Alert': alertNoteables(edges.alerts, directory.sequence),
  });
  const places = diffPlaces(mergeRequests);
  const notes = noteList(db);
  const awards = awardStore(db);
  const change = changeNoteable({
    db,
    clock,
    directorySequence: directory.sequence,
    keepCounters: issues.keepCounters,
  });
  const runCommands = runQuickActions({
    steps: commandSteps({ names: writtenNames(db), clock }),
    editors: { MergeRequest: mergeRequestEditor(mergeRequests, directory.sequence), Issue: issues.editor },
    todos: commandTodos(db, todos),
  });
  const awarding = { find, notes, awards, change };
  const writing: NoteWriting = {
    find,
    notes,
    change,
    runCommands,
    giveAward: giveAward(awarding),
    clock,
    emojiNotesReact,
  };
  const discussing: DiscussionEdges = {
    find,
    notes,
    discussions: discussionList(db),
    change,
    places,
    runCommands,
    clock,
  };
  const useCases = observe('collaboration', {
    listNotes: listNotes({ find, notes }),
    getNote: getNote({ find, notes }),
    limitNotes: limitNotes({ db, rates: noteRateStore(db), perMinute, unlimited }),
    createNote: createNote(writing),
    updateNote: updateNote(writing),
    deleteNote: deleteNote(writing),
    listAwards: listAwards(awarding),
    getAward: getAward(awarding),
    createAward: createAward(awarding),
    deleteAward: deleteAward(awarding),
    listDiscussions: listDiscussions(discussing),
    getDiscussion: getDiscussion(discussing),
    listDiscussionNotes: listDiscussionNotes(discussing),
    createDiscussion: createDiscussion(discussing),
    replyToDiscussion: replyToDiscussion(discussing),
    resolveDiscussion: resolveDiscussion(discussing),
    getDiscussionNote: getDiscussionNote(discussing),
    resolveDiscussionNote: resolveDiscussionNote(discussing),
    listCommitComments: listCommitComments(discussing),
    createCommitComment: createCommitComment(discussing),
    countNotes: countNotes({ db, noteables: noteableStore }),
    noteIssues: noteIssues({ noteables: noteableStore, notes: systemNotes, references: issueReferences }),
    noteMergeRequests: noteMergeRequests({ noteables: noteableStore, notes: systemNotes, moves: diffNoteStore }),
  });
  return {
    services: [
      noteHandler(useCases, externalUrl),
      discussionHandler(useCases, externalUrl),
      awardEmojiHandler(useCases, externalUrl),
    ],
    mergeRequestFollowers: [systemNoteFollower(useCases.noteMergeRequests)],
    start: async () => [
      await startConsumer({
        bus: edges.bus,
        db,
        group: noteGroup,
        subscriptions: [issueNoteSubscription(useCases.noteIssues, directory)],
      }),
      moveDiffNotes({ db, moves: diffNoteStore, places, log }),
      purgeNotes({ db, noteables: noteableStore }),
    ],
  };
}
