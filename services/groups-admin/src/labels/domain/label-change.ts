import { type AppError, conflict } from '@switchyard/errors';
import { displayText, parseColor } from '@switchyard/texts';
import type { Parent } from '../../parents';
import { note, type Problems, refuse } from '../../rules';
import { defaultColor, labelProblems } from './label';
import type { LabelChange, LabelKey, LabelRow, NewLabel } from './label-row';

/** A label as a user describes it. */
export interface LabelContent {
  readonly title: string;
  readonly color: string;
  /** Empty for none. */
  readonly description: string;
  /** Rank in the project; groups give none. */
  readonly priority: number | undefined;
}

/** A label that comes in: of an archive it has its history. */
export type ImportedLabel = Omit<LabelContent, 'priority'> & Pick<Partial<NewLabel>, 'priority' | 'history'>;

/** What a decision about a label may depend on besides the label. */
export interface LabelFacts {
  /** Whether another label that the parent can use has the new title. */
  readonly titleTaken: boolean;
}

/** Which label changes, and what is read for the decision. */
export interface LabelChangeRequest {
  readonly parent: Parent;
  readonly key: LabelKey;
  /** The new title, for `LabelFacts.titleTaken`; undefined when the title stays. */
  readonly title?: string | undefined;
  /** Refuses the change when the label changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/** The result of a change of a label. */
export type LabelDecision =
  | { readonly kind: 'changed'; readonly change: LabelChange }
  /** The label is deleted with its ranks and counts. */
  | { readonly kind: 'deleted' };

/** The refusal of a title that another label has. */
export const labelExists = (): AppError => conflict('Label already exists');

/**
 * A new label in the form in which it is stored.
 * @throws AppError invalid
 */
export function toNewLabel({ title, color, description, priority }: LabelContent): NewLabel {
  refuse(labelProblems({ title, color, description }));
  return {
    title: displayText(title),
    color: parseColor(color) ?? defaultColor,
    description: description || undefined,
    priority,
  };
}

/** Labels of an import in the form in which they are stored; what no label can be is left out. */
export function toImportedLabels(labels: readonly ImportedLabel[]): NewLabel[] {
  return labels
    .map((label) => ({ ...label, color: parseColor(label.color) ?? defaultColor }))
    .filter((label) => Object.keys(labelProblems(label)).length === 0)
    .map(({ history, priority, ...label }) => ({ ...toNewLabel({ ...label, priority }), history }));
}

/**
 * A change in the form in which it is stored.
 * @throws AppError invalid
 */
export function toLabelChange({ title, color, ...others }: LabelChange): LabelChange {
  refuse(labelProblems({ title, color, ...others }));
  return {
    ...others,
    ...(title === undefined ? {} : { title: displayText(title) }),
    ...(color === undefined ? {} : { color: parseColor(color) }),
  };
}

/**
 * Creates a label.
 * @throws AppError conflict for a taken title
 */
export function decideCreate(label: NewLabel, { titleTaken }: LabelFacts): NewLabel {
  if (titleTaken) throw labelExists();
  return label;
}

/**
 * Changes a label. Only labels of projects have a rank.
 * @throws AppError conflict for a taken title
 */
export function decideUpdate(label: LabelRow, change: LabelChange, { titleTaken }: LabelFacts): LabelDecision {
  if (titleTaken) throw labelExists();
  const { priority, ...content } = change;
  return { kind: 'changed', change: label.project_id === null ? content : { ...content, priority } };
}

/**
 * Labels to add where the known titles lack some of `titles`.
 * @throws AppError invalid, with the problems named under `labels`: the caller sent a list of labels
 */
export function decideMissing(titles: readonly string[], known: ReadonlySet<string>): NewLabel[] {
  const missing = titles.filter((title) => !known.has(title));
  const problems: Problems = {};
  note(problems, 'labels', [...new Set(missing.flatMap((title) => labelProblems({ title }).title ?? []))]);
  refuse(problems);
  return missing.map((title) => ({ title, color: defaultColor, description: undefined, priority: undefined }));
}
