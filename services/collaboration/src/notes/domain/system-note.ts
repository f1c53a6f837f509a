/** A system note to be written. */
export interface SystemNote {
  /** The kind of note; one of each kind per event. */
  readonly action: string;
  /** 0 when there is no user: no note is written. */
  readonly authorId: number;
  /** Texts and the users named between them. */
  readonly parts: readonly (string | { readonly userId: number })[];
  /** The object elsewhere that it mentions: users who see the note must be able to read it. Undefined: none. */
  readonly source?: {
    readonly kind: 'Issue' | 'Epic';
    readonly id: number;
    /** 0 for an epic. */
    readonly projectId: number;
  };
}

/** A text, or a user named between texts. */
export type SystemNotePart = SystemNote['parts'][number];

const users = (ids: readonly number[]): SystemNotePart[] =>
  ids.flatMap((userId, at): SystemNotePart[] => [at === 0 ? '' : at === ids.length - 1 ? ' and ' : ', ', { userId }]);

/** Users who were added and removed, as one sentence; empty when there are none. */
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
  /**
   * Id of the event, or another name of what happened: the same cause writes its notes once, whenever it comes again.
   */
  readonly id: string;
  readonly occurredAt: Date;
}
