import { type Consequences, noConsequences, type Raise } from './todo';

/** What can happen to a comment or a thread, as far as to-dos depend on it. */
export type NoteTodoFact =
  | {
      readonly kind: 'written' | 'edited';
      readonly noteId: number;
      readonly mentions: { readonly usernames: readonly string[]; readonly directlyAddressed: readonly string[] };
    }
  /** A thread was resolved or opened again, or someone reacted. */
  | { readonly kind: 'acted' };

/** To-dos of the users whom a comment mentions: one for each comment. */
function named(authorId: number, { noteId, mentions }: Extract<NoteTodoFact, { noteId: number }>): Raise[] {
  const addressed = new Set(mentions.directlyAddressed.map((name) => name.toLowerCase()));
  const others = mentions.usernames.filter((name) => !addressed.has(name.toLowerCase()));
  const raise = (action: 'directly_addressed' | 'mentioned', usernames: readonly string[]): Raise[] =>
    usernames.length === 0 ? [] : [{ action, to: { usernames }, authorId, cause: `note:${noteId}`, noteId }];
  return [...raise('directly_addressed', mentions.directlyAddressed), ...raise('mentioned', others)];
}

/**
 * To-dos that follow from a comment (G-4.9-5). A user who comments, reacts or resolves a thread has done their to-dos
 * on the object. An edit of a comment resolves nothing and raises to-dos only for newly mentioned users.
 */
export function consequencesOfNote(actorId: number, fact: NoteTodoFact): Consequences {
  const resolveFor = actorId === 0 || fact.kind === 'edited' ? undefined : actorId;
  return { ...noConsequences, resolveFor, raise: fact.kind === 'acted' ? [] : named(actorId, fact) };
}
