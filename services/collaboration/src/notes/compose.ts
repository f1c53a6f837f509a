import { importedPeople, projectById, writtenNames } from '@switchyard/directory';
import { type Area, archiveSource, type RecordWriter, recordWriter } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import { commandSteps } from '@switchyard/texts';
import type { Contributions } from '../deleted-users';
import type { Edges } from '../edges';
import type { Epics } from '../epics';
import { type Issues, issueReferences } from '../issues';
import type { MergeRequestFollower } from '../merge-requests';
import { noteableStore } from '../noteables';
import type { Snippets } from '../snippets';
import { createAward, deleteAward, getAward, giveAward, listAwards } from './application/award-emoji';
import { createCommitComment, listCommitComments } from './application/comment-on-commits';
import { countNotes } from './application/count-notes';
import { authoredNotes } from './application/delete-authored-notes';
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
import {
  createDraftNote,
  deleteDraftNote,
  getDraftNote,
  listDraftNotes,
  publishDraftNotes,
  updateDraftNote,
} from './application/draft-notes';
import { findNoteable } from './application/find-noteable';
import { importEmoji } from './application/import-emoji';
import { importNotes } from './application/import-notes';
import { limitNotes } from './application/limit-notes';
import { getNote, listNotes } from './application/list-notes';
import { moveDiffNotes } from './application/move-diff-notes';
import { purgeNotes } from './application/purge-notes';
import { type CommandTodos, runQuickActions } from './application/run-quick-actions';
import { applySuggestions, followAppliedSuggestions, locateSuggestions } from './application/suggestions';
import { writeEpicSystemNotes, writeFamilyNotes } from './application/write-epic-system-notes';
import { writeIssueSystemNotes } from './application/write-issue-system-notes';
import { writeMergeRequestSystemNotes } from './application/write-merge-request-system-notes';
import { createNote, deleteNote, type NoteWriting, updateNote } from './application/write-notes';
import type { ReactedTo } from './domain/imported-emoji';
import { authoredNoteStore } from './storage/authored-note.store';
import { awardList, awardStore } from './storage/award-emoji.store';
import { diffNoteStore } from './storage/diff-note.store';
import { discussionList } from './storage/discussion.list';
import { draftNoteStore, purgeDraftNotes } from './storage/draft-note.store';
import { emojiImportStore } from './storage/emoji-import.store';
import { epicNoteNames } from './storage/epic-note.names';
import { noteList } from './storage/note.list';
import { forgetBegunNotes, noteStore } from './storage/note.store';
import { noteImportStore } from './storage/note-import.store';
import { noteRateStore } from './storage/note-rate.store';
import { suggestionStore } from './storage/suggestion.store';
import { systemNotes } from './storage/system-note.store';
import { alertNoteables } from './transport/alert-noteable';
import { awardEmojiHandler } from './transport/award-emoji.handler';
import { type EmojiKind, emojiRecord, giversOf, toImportedEmoji } from './transport/award-emoji.record';
import { commitNoteables } from './transport/commit-noteable';
import { diffPositions } from './transport/diff-positions';
import { discussionHandler } from './transport/discussion.handler';
import { draftNoteHandler } from './transport/draft-note.handler';
import { epicNoteSubscription } from './transport/epic-note.subscription';
import { importedMergeRequests } from './transport/imported-merge-requests';
import { issueNoteSubscription } from './transport/issue-note.subscription';
import { mergeRequestEditor } from './transport/merge-request-editor';
import { systemNoteFollower } from './transport/merge-request-note.follower';
import { mergeRequestNoteables } from './transport/merge-request-noteable';
import { noteHandler } from './transport/note.handler';
import { noteRecord, peopleOf, toImported } from './transport/note.record';
import { noteImportHandler } from './transport/note-import.handler';
import { suggestedChanges } from './transport/suggested-changes';
import { suggestionFollower } from './transport/suggestion.follower';
import { suggestionHandler } from './transport/suggestion.handler';

/** Consumer group of the notes of issues and epics: separate from that of to-dos, so that neither waits for the other. */
const noteGroup = 'collaboration.notes';

/** What notes need of other areas. */
export interface NotesNeeds {
  readonly issues: Pick<Issues, 'noteables'>;
  readonly epics: Pick<Epics, 'noteables'>;
  readonly snippets: Pick<Snippets, 'find'>;
  /** What `/todo` and `/done` do. */
  readonly commandTodos: CommandTodos;
}

/** Notes, and what follows for them from merge requests. */
export interface Notes extends Area {
  /** Writes system notes. */
  readonly mergeRequestFollower: MergeRequestFollower;
  /** Marks suggestions whose commit is there. */
  readonly suggestionFollower: MergeRequestFollower;
  /** Notes and reactions of a user who was deleted with them. */
  readonly authored: readonly Contributions[];
  /** Takes the notes of an archive, and its reactions. */
  readonly records: Readonly<Record<'notes' | EmojiKind, RecordWriter>>;
}

/** Builds notes, discussions and reactions for every kind of noteable. */
export function composeNotes(
  { config, db, directory, peer, clock, observe }: Edges,
  { issues, epics, snippets, commandTodos }: NotesNeeds,
): Notes {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const mergeRequests = peer('merge-requests');
  const importing = {
    projectExists: async (id: number) => (await projectById(db, id)) !== undefined,
    mergeRequests: importedMergeRequests(mergeRequests),
  };
  const mergeRequestsNoted = mergeRequestNoteables(mergeRequests, directory.sequence);
  const find = findNoteable({
    MergeRequest: mergeRequestsNoted.find,
    Issue: issues.noteables.find,
    Snippet: snippets.find,
    Commit: commitNoteables(mergeRequests, externalUrl),
    'AlertManagement::Alert': alertNoteables(peer('alerts'), directory.sequence),
    Epic: epics.noteables.find,
  });
  const positions = diffPositions(mergeRequests);
  const changes = suggestedChanges(mergeRequests, directory.sequence);
  const notes = noteList(db);
  const changing = {
    db,
    clock,
    directorySequence: directory.sequence,
    keepCounters: { Issue: issues.noteables.keepCounters, Epic: epics.noteables.keepCounters },
  };
  const store = noteStore(changing);
  const awards = awardStore(changing);
  const awarding = { find, notes, awards: awardList(db), store: awards };
  const react = giveAward(awarding);
  const runCommands = runQuickActions({
    steps: commandSteps({ names: writtenNames(db), clock }),
    editors: {
      MergeRequest: mergeRequestEditor(mergeRequests, directory.sequence),
      Issue: issues.noteables.editor,
      Epic: epics.noteables.editor,
    },
    todos: commandTodos,
    react: (reader, noteable, name) => react(reader, { noteable }, name),
  });
  const writing: NoteWriting = {
    find,
    store,
    runCommands,
    giveAward: react,
    clock,
    emojiNotesReact: config.SWITCHYARD_EMOJI_NOTES === 'reaction',
  };
  const discussing: DiscussionEdges = {
    find,
    notes,
    store,
    discussions: discussionList(db),
    positions,
    changes,
    runCommands,
    clock,
  };
  const suggesting = {
    suggestions: suggestionStore(changing),
    changes,
    mergeRequest: mergeRequestsNoted.findById,
  };
  const noting = {
    noteables: noteableStore,
    notes: systemNotes,
    references: issueReferences,
    names: epicNoteNames,
  };
  const drafting = { ...discussing, drafts: draftNoteStore(changing) };
  const useCases = observe('collaboration', {
    listNotes: listNotes({ find, notes }),
    getNote: getNote({ find, notes }),
    limitNotes: limitNotes({
      db,
      rates: noteRateStore(db),
      perMinute: Math.ceil(config.SWITCHYARD_NOTES_PER_MINUTE * config.SWITCHYARD_APPLICATION_LIMITS),
      unlimited: config.SWITCHYARD_NOTES_UNLIMITED,
    }),
    createNote: createNote(writing),
    updateNote: updateNote({ find, notes, store, changes }),
    deleteNote: deleteNote({ find, store }),
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
    listDraftNotes: listDraftNotes(drafting),
    getDraftNote: getDraftNote(drafting),
    createDraftNote: createDraftNote(drafting),
    updateDraftNote: updateDraftNote(drafting),
    deleteDraftNote: deleteDraftNote(drafting),
    publishDraftNotes: publishDraftNotes(drafting),
    locateSuggestions: locateSuggestions(suggesting),
    applySuggestions: applySuggestions(suggesting),
    followAppliedSuggestions: followAppliedSuggestions(suggesting),
    importNotes: importNotes({ ...importing, imports: noteImportStore(db) }),
    importEmoji: importEmoji({ ...importing, imports: emojiImportStore(db) }),
    countNotes: countNotes({ db, noteables: noteableStore }),
    noteIssues: writeIssueSystemNotes({ ...noting, families: writeFamilyNotes(noting) }),
    noteEpics: writeEpicSystemNotes(noting),
    noteMergeRequests: writeMergeRequestSystemNotes({
      noteables: noteableStore,
      notes: systemNotes,
      moves: diffNoteStore,
    }),
  });
  const emojiWriter = (type: ReactedTo): RecordWriter =>
    recordWriter(emojiRecord, async (target, given) => {
      // Nobody reacts in the name of another one.
      const deciders = { ...target, standIns: { users: new Map(), areAll: true } };
      const people = await importedPeople(db, deciders, giversOf(given));
      const key = { projectId: target.projectId, importedFrom: archiveSource };
      return useCases.importEmoji(key, type, toImportedEmoji(given, people));
    });
  return {
    records: {
      notes: recordWriter(noteRecord, async (target, given) => {
        const { projectId } = target;
        const people = await importedPeople(db, target, peopleOf(given));
        const key = { projectId, importedFrom: archiveSource };
        return useCases.importNotes(key, given.map(toImported(projectId, people)));
      }),
      issue_emoji: emojiWriter('Issue'),
      merge_request_emoji: emojiWriter('MergeRequest'),
      snippet_emoji: emojiWriter('Snippet'),
      note_emoji: emojiWriter('Note'),
    },
    services: [
      noteHandler(useCases, externalUrl),
      discussionHandler(useCases, externalUrl),
      draftNoteHandler(useCases),
      awardEmojiHandler(useCases, externalUrl),
      suggestionHandler(useCases),
      noteImportHandler(useCases.importNotes),
    ],
    consumers: [
      {
        group: noteGroup,
        subscriptions: [
          issueNoteSubscription(useCases.noteIssues, directory),
          epicNoteSubscription(useCases.noteEpics, directory),
        ],
      },
    ],
    start: () => {
      const moving = moveDiffNotes({ db, moves: diffNoteStore, positions, log: logger });
      const unlisten = diffNoteStore.onMoves(db, moving.soon);
      return [
        { close: async () => unlisten() },
        moving,
        purgeNotes({ db, noteables: noteableStore, purgeDrafts: purgeDraftNotes, forgetBegun: forgetBegunNotes }),
      ];
    },
    authored: authoredNotes(authoredNoteStore(db), { notes: store, awards }),
    mergeRequestFollower: systemNoteFollower(useCases.noteMergeRequests),
    suggestionFollower: suggestionFollower(useCases.followAppliedSuggestions),
  };
}
