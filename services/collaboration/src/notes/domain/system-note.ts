/** A system note to be written. */
export interface SystemNote {
  /** What it tells of; one note of each per event. */
  readonly action: string;
  /** 0 when nobody can be named: no note is written. */
  readonly authorId: number;
  /** Texts and the users named between them. */
  readonly parts: readonly (string | { readonly userId: number })[];
  /** The issue it tells of, which those who see the note must be able to read; undefined when it tells of nothing elsewhere. */
  readonly source?: { readonly id: number; readonly projectId: number };
}

/** A text, or a user named between texts. */
export type SystemNotePart = SystemNote['parts'][number];

const users = (ids: readonly number[]): SystemNotePart[] =>
  ids.flatMap((userId, at): SystemNotePart[] => [at === 0 ? '' : at === ids.length - 1 ? ' and ' : ', ', { userId }]);

/** Who came and who went, as one sentence; nothing when nobody did. */
export function people(
  added: readonly number[],
  removed: readonly number[],
  words: { readonly added: string; readonly removed: string },
): SystemNotePart[] {
  return [
    ...(added.length === 0 ? [] : [`${words.added} `, ...users(added)]),
    ...(added.length > 0 && removed.length > 0 ? [' and '] : []),
    ...(removed.length === 0 ? [] : [`${words.removed} `, ...users(removed)]),
  ];
}

/** A text between the stars that make it stand out. */
export const emphasized = (text: string): string => `**${text.replaceAll('*', '\\*')}**`;

/** What made some system notes. */
export interface SystemNoteCause {
  /** Id of the event, or another name of what happened: the same cause writes its notes once, whenever it comes again. */
  readonly id: string;
  readonly occurredAt: Date;
}
