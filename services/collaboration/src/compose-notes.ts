import type { Database } from '@switchyard/database';
import type { Directory } from '@switchyard/directory';
import type { Peer, ServiceImplementation } from '@switchyard/rpc';
import { type Logger, observe } from '@switchyard/telemetry';
import { getNote, listNotes } from './application/list-notes';
import { noteMergeRequests } from './application/note-merge-requests';
import { findNoteable } from './application/noteables';
import { purgeNotes } from './application/purge-notes';
import { noteList } from './storage/note.list';
import { noteableStore } from './storage/noteable.store';
import { systemNotes } from './storage/system-note.store';
import type { MergeRequestFollower } from './transport/merge-request.subscription';
import { systemNoteFollower } from './transport/merge-request-note.follower';
import { mergeRequestNoteables } from './transport/merge-request-noteable';
import { noteHandler } from './transport/note.handler';

/** What notes are built from. */
export interface NoteEdges {
  readonly db: Database;
  readonly mergeRequests: Peer;
  readonly directory: Directory;
  readonly externalUrl: string;
  readonly log: Logger;
}

/** Notes, as parts of the service. */
export interface NoteParts {
  readonly services: readonly ServiceImplementation[];
  readonly mergeRequestFollowers: readonly MergeRequestFollower[];
  /** Starts what runs beside requests. */
  startBackground(): { close(): Promise<void> };
}

/** Builds notes, discussions and reactions for every kind of noteable. */
export function composeNotes({ db, mergeRequests, directory, externalUrl, log }: NoteEdges): NoteParts {
  const find = findNoteable({ MergeRequest: mergeRequestNoteables(mergeRequests, directory.sequence) });
  const notes = noteList(db);
  const useCases = observe('collaboration', {
    listNotes: listNotes({ find, notes }),
    getNote: getNote({ find, notes }),
    noteMergeRequests: noteMergeRequests({ noteables: noteableStore, notes: systemNotes }),
  });
  return {
    services: [noteHandler(useCases, externalUrl)],
    mergeRequestFollowers: [systemNoteFollower(useCases.noteMergeRequests)],
    startBackground: () => purgeNotes({ db, noteables: noteableStore, log }),
  };
}
