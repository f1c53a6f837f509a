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

/** A change of a field, by its public name; an empty text stands for no value. */
export interface FieldChange {
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

/** The texts of the notes on changes, by field. */
export type FieldNotes = Readonly<Record<string, (change: FieldChange) => string>>;

/** Notes on the fields that issues and epics have in common. */
export const commonFieldNotes: FieldNotes = {
  title: (change) => `changed the title from ${emphasized(change.old)} to ${emphasized(change.new)}`,
  confidential: (change) => (change.new === 'true' ? 'made it confidential' : 'made it visible to everyone'),
};

/** The note of a kind, by a user; none without parts. */
export const systemNote = (authorId: number, action: string, parts: readonly SystemNotePart[]): SystemNote[] =>
  parts.length === 0 ? [] : [{ action, authorId, parts }];

/** Notes on changed fields, as far as they have one, and on the description, whose text no note repeats. */
export function fieldSystemNotes(
  authorId: number,
  fact: { readonly changedFields: readonly string[]; readonly changes: readonly FieldChange[] },
  fieldNotes: FieldNotes,
): SystemNote[] {
  const ofFields = fact.changes.flatMap((change) => {
    const fieldNote = Object.hasOwn(fieldNotes, change.field) ? fieldNotes[change.field] : undefined;
    return fieldNote === undefined ? [] : systemNote(authorId, change.field, [fieldNote(change)]);
  });
  const isDescribed = fact.changedFields.includes('description');
  return [...ofFields, ...systemNote(authorId, 'description', isDescribed ? ['changed the description'] : [])];
}

/** What made some system notes. */
export interface SystemNoteCause {
  /**
   * Id of the event, or another name of what happened: the same cause writes its notes once, whenever it comes again.
   */
  readonly id: string;
  readonly occurredAt: Date;
}
