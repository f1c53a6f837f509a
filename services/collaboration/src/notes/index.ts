export type { CommandTodos } from './application/run-quick-actions';
export { composeNotes, type Notes } from './compose';
export { emphasized, people, type SystemNote } from './domain/system-note';
export { noteStates } from './storage/note.events';
export { newDiscussionId } from './storage/note.store';
export { type SystemNoteCause, systemNotes } from './storage/system-note.store';
