import { displayTextProblems, parseColor } from '@switchyard/texts';
import { lengthProblems, note, type Problems } from '../../rules';

/** Colour of labels that are created by their first use. */
export const defaultColor = '#6699cc';

/** What is wrong with a title, colour or description; an absent one is not checked. */
export function labelProblems(label: { title?: string; color?: string; description?: string }): Problems {
  const problems: Problems = {};
  if (label.title !== undefined) {
    const shown = displayTextProblems(label.title);
    // A comma separates the titles of a list.
    const parts = /[,?]/.test(label.title) && !shown.includes('is invalid') ? ['is invalid'] : [];
    note(problems, 'title', [...parts, ...shown]);
  }
  if (label.color !== undefined && parseColor(label.color) === undefined) {
    note(problems, 'color', ['must be a valid color code']);
  }
  note(problems, 'description', lengthProblems(label.description, 512_000));
  return problems;
}
