export type { CommandTodos } from './application/run-quick-actions';
export { composeNotes, type Notes } from './compose';
export { emphasized, people, type SystemNote, type SystemNoteCause } from './domain/system-note';
export { noteStates } from './storage/note.events';
export { newDiscussionId } from './storage/note.store';
export { systemNotes } from './storage/system-note.store';
export type { EmojiKind } from './transport/award-emoji.record';
