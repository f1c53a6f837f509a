import {
  commonFieldNotes,
  type FieldChange,
  type FieldNotes,
  fieldSystemNotes,
  type SystemNotePart as Part,
  type SystemNote,
  systemNote,
} from './system-note';

/** A label or an epic as a note names it. */
type Named = (id: number) => string | undefined;

/** What can change on an epic, as far as it gets system notes. */
export type EpicNoteFact =
  | {
      readonly kind: 'updated';
      readonly addedLabelIds: readonly number[];
      readonly removedLabelIds: readonly number[];
      /** Public names. */
      readonly changedFields: readonly string[];
      readonly changes: readonly FieldChange[];
    }
  | { readonly kind: 'closed' | 'reopened' }
  | {
      readonly kind: 'linked' | 'unlinked';
      /** `relates_to`, `blocks` or `is_blocked_by`: how this epic stands to the other one. */
      readonly linkType: string;
      readonly otherId: number;
    };

const dated = (what: string) => (change: FieldChange) =>
  change.new === '' ? `removed the fixed ${what} date` : `changed the fixed ${what} date to ${change.new}`;

const sourced = (what: string) => (change: FieldChange) =>
  change.new === 'true' ? `fixed the ${what} date` : `made the ${what} date inherited`;

/** The text of the note on a change, by field. */
const fieldNotes: FieldNotes = {
  ...commonFieldNotes,
  color: (change) => `changed the color to ${change.new}`,
  start_date_fixed: dated('start'),
  due_date_fixed: dated('due'),
  start_date_is_fixed: sourced('start'),
  due_date_is_fixed: sourced('due'),
};

/** Labels that came and went, as one sentence; empty when none of them has a name any longer. */
function labelled(
  { addedLabelIds, removedLabelIds }: Extract<EpicNoteFact, { kind: 'updated' }>,
  label: Named,
): Part[] {
  const listed = (verb: string, ids: readonly number[]): string[] => {
    const names = ids.flatMap((id) => label(id) ?? []).map((title) => `~"${title.replaceAll('"', "'")}"`);
    return names.length === 0 ? [] : [`${verb} ${names.join(' ')} ${names.length === 1 ? 'label' : 'labels'}`];
  };
  const said = [...listed('added', addedLabelIds), ...listed('removed', removedLabelIds)].join(' and ');
  return said === '' ? [] : [said];
}

const linkWords: Readonly<Record<string, string>> = { blocks: 'as blocking', is_blocked_by: 'as blocked by' };

/** The note on a link to another epic that came or went; none where that is gone. */
function linkNotes(
  authorId: number,
  { kind, linkType, otherId }: Extract<EpicNoteFact, { kind: 'linked' | 'unlinked' }>,
  epic: Named,
): SystemNote[] {
  const reference = epic(otherId);
  if (reference === undefined) return [];
  const said = kind === 'linked' ? `marked it ${linkWords[linkType] ?? 'as related to'}` : 'removed the relation with';
  const source = { kind: 'Epic', id: otherId, projectId: 0 } as const;
  return [{ action: kind, authorId, parts: [`${said} epic ${reference}`], source }];
}

/**
 * System notes that follow from a change of an epic, on it. What has come to stand above and below epics gets notes of
 * its own (`familyNotes`).
 * @param label titles of labels
 * @param epic full references of epics
 */
export function epicSystemNotes(actorId: number, fact: EpicNoteFact, label: Named, epic: Named): SystemNote[] {
  if (fact.kind === 'linked' || fact.kind === 'unlinked') return linkNotes(actorId, fact, epic);
  if (fact.kind !== 'updated') return [{ action: fact.kind, authorId: actorId, parts: [fact.kind] }];
  return [...fieldSystemNotes(actorId, fact, fieldNotes), ...systemNote(actorId, 'labels', labelled(fact, label))];
}

/** A child epic or an issue came below an epic, or went. */
export interface FamilyChange {
  readonly child: { readonly kind: 'Epic' | 'Issue'; readonly id: number; readonly projectId: number };
  /** The epics above it before and after; undefined: none. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Full references, by id. */
  readonly childReference: string;
  readonly epicReference: Named;
}

/** A note on one object of a family. */
export interface FamilyNote {
  readonly on: { readonly kind: 'Epic' | 'Issue'; readonly id: number };
  readonly note: SystemNote;
}

/**
 * Notes on an epic that something left, on the one that it joined, and on itself. Each names the other side, so it is
 * shown to those alone who may read that.
 */
export function familyNotes(actorId: number, { child, before, after, ...references }: FamilyChange): FamilyNote[] {
  const word = child.kind === 'Epic' ? 'child epic' : 'issue';
  const source = { kind: child.kind, id: child.id, projectId: child.projectId };
  const above = (id: number, verb: string): FamilyNote[] => [
    {
      on: { kind: 'Epic', id },
      note: {
        action: `${verb}_${child.kind}_${child.id}`,
        authorId: actorId,
        parts: [`${verb} ${word} ${references.childReference}`],
        source,
      },
    },
  ];
  const below = (id: number, verb: string, preposition: string): FamilyNote[] => {
    const reference = references.epicReference(id);
    if (reference === undefined) return [];
    const what = child.kind === 'Epic' ? 'parent epic' : 'epic';
    return [
      {
        on: { kind: child.kind, id: child.id },
        note: {
          action: `epic_${preposition}`,
          authorId: actorId,
          parts: [`${verb} ${preposition} ${what} ${reference}`],
          source: { kind: 'Epic', id, projectId: 0 },
        },
      },
    ];
  };
  return [
    ...(before === undefined ? [] : [...above(before, 'removed'), ...below(before, 'removed', 'from')]),
    ...(after === undefined ? [] : [...above(after, 'added'), ...below(after, 'added', 'to')]),
  ];
}
