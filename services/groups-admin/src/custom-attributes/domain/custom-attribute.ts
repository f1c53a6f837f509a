import { invalid } from '@switchyard/errors';
import { displayTextProblems, isBlank } from '@switchyard/texts';
import { lengthProblems, note, type Problems, refuse } from '../../rules';

/** A text that administrators keep with a user, group or project. */
export interface CustomAttribute {
  readonly key: string;
  readonly value: string;
}

/** Whose attributes. */
export interface AttributeOwner {
  readonly kind: 'user' | 'group' | 'project';
  readonly id: number;
}

/** Longest value, characters; keys have the same limit. */
const maxLength = 255;

/** Attributes of one owner, so that a list of a hundred that shows them has a bound. */
export const maxAttributes = 100;

/** Refuses an attribute that cannot be one. @throws AppError invalid with all problems */
export function checkAttribute({ key, value }: CustomAttribute): void {
  const problems: Problems = {};
  note(problems, 'key', displayTextProblems(key));
  note(problems, 'value', isBlank(value) ? ["can't be blank"] : lengthProblems(value, maxLength));
  refuse(problems);
}

/** The refusal of one attribute more than an owner can have. */
export const tooManyAttributes = () => invalid({ base: [`cannot have more than ${maxAttributes} custom attributes`] });
