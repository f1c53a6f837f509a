import { maxVariableValueLength, variableKeyProblems } from '@switchyard/texts';
import { lengthProblems, note, type Problems } from '../../rules';
import type { NewVariable, VariableParent } from './variable-row';

const maxText = 255;

/** Variables of one parent: of a group G-4.3-12, of others as GitLab has it. */
export const maxVariables = { group: 30_000, project: 8_000, instance: 25 } as const satisfies Record<
  VariableParent['kind'],
  number
>;

/** What the text of a full parent calls its variables. */
const pluralNames = {
  group: 'group ci variables',
  project: 'project ci variables',
  instance: 'ci instance level variables',
} as const satisfies Record<VariableParent['kind'], string>;

/** The text of a parent that has all the variables that it may have. */
export const fullText = (kind: VariableParent['kind']): string =>
  `Maximum number of ${pluralNames[kind]} (${maxVariables[kind]}) exceeded`;

/** The scope of a variable that is for every environment. */
export const everyEnvironment = '*';

const scopeProblems = (scope: string): string[] =>
  scope === ''
    ? ["can't be blank"]
    : [
        ...lengthProblems(scope, maxText),
        ...(/^[A-Za-z0-9_/${}. *-]+$/.test(scope)
          ? []
          : ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"]),
      ];

/**
 * Whether a log can hide a value: on one line, of 8 characters or more. Of what is expanded the value must also be
 * free of characters that the expansion could change (G-4.3-8, G-4.3-9).
 */
export const canBeMasked = (value: string, raw: boolean): boolean =>
  (raw ? /^\S{8,}$/u : /^[A-Za-z0-9_+=/@:.~-]{8,}$/).test(value);

/** What is wrong with a variable, by field; its key without blanks around it. */
export function variableProblems(variable: NewVariable): Problems {
  const { key, value, masked, raw, environmentScope, description } = variable;
  const problems: Problems = {};
  note(problems, 'key', variableKeyProblems(key));
  // A pattern over a megabyte is not worth its time.
  const tooLong = lengthProblems(value, maxVariableValueLength);
  note(problems, 'value', [
    ...tooLong,
    ...(masked && (tooLong.length > 0 || !canBeMasked(value, raw)) ? ['is invalid'] : []),
  ]);
  note(problems, 'environment_scope', scopeProblems(environmentScope));
  note(problems, 'description', lengthProblems(description, maxText));
  return problems;
}
