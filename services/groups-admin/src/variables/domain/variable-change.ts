import { type AppError, conflict, invalid, notFound } from '@switchyard/errors';
import { note, refuse, taken } from '../../rules';
import { fullText, variableProblems } from './variable';
import type {
  NewVariable,
  StoredVariable,
  Variable,
  VariableChange,
  VariableKey,
  VariableParent,
} from './variable-row';

/** A variable as a user describes it. */
export interface VariableContent extends Omit<NewVariable, 'hidden'> {
  /** It is masked, and hidden for good. */
  readonly maskedAndHidden: boolean;
}

/** Which variable changes, and what is read for the decision. */
export interface VariableChangeRequest {
  readonly parent: VariableParent;
  readonly key: VariableKey;
  /** Of several variables the oldest; without it several are refused. */
  readonly orOldest?: boolean;
  /** The new scope, for `isTaken`. */
  readonly environmentScope?: string | undefined;
  /** Refuses the change when the variable changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/**
 * A scope that was given, as far as the parent has scopes: the instance has none, groups of the Free tier keep `*`
 * (G-4.3-13).
 */
export const allowedScope = (
  { kind }: VariableParent,
  isFree: boolean,
  given: string | undefined,
): string | undefined => (kind === 'instance' || (kind === 'group' && isFree) ? undefined : given);

/** The refusal of a key that several scopes have (G-4.3-2). */
export const severalVariables = (): AppError =>
  conflict("There are multiple variables with provided parameters. Please use 'filter[environment_scope]'");

const names = { group: 'GroupVariable', project: 'Variable', instance: 'Instance Variable' } as const;

/** The refusal of a key that the parent does not have. */
export const variableNotFound = ({ kind }: VariableParent): AppError => notFound(names[kind]);

const takenText = (key: string): string => `(${key}) ${taken}`;

/** A new variable in the form in which it is stored: without blanks around its key, and masked where it is hidden. */
export const toNewVariable = ({ maskedAndHidden, ...content }: VariableContent): NewVariable => ({
  ...content,
  key: content.key.trim(),
  masked: content.masked || maskedAndHidden,
  hidden: maskedAndHidden,
});

/**
 * Creates a variable.
 * @throws AppError invalid, with every problem at once
 */
export function decideCreate(
  variable: NewVariable,
  parent: VariableParent,
  { isTaken, isFull }: { readonly isTaken: boolean; readonly isFull: boolean },
): NewVariable {
  const problems = variableProblems(variable);
  if (isTaken) note(problems, 'key', [takenText(variable.key)]);
  if (isFull) note(problems, 'base', [fullText(parent.kind)]);
  refuse(problems);
  return variable;
}

/** What is wrong with a change of how far a variable is shown (G-4.3-10). */
function visibilityProblems({ hidden }: StoredVariable, { masked, maskedAndHidden }: VariableChange): string[] {
  if (hidden) {
    return masked === false || maskedAndHidden === false
      ? ['The visibility setting cannot be changed for masked and hidden variables.']
      : [];
  }
  return maskedAndHidden === true ? ['Only new variables can be set as masked and hidden.'] : [];
}

/**
 * The variable as a change leaves it.
 * @throws AppError invalid when it has no value that can be read, and gets none
 */
export function changed(variable: StoredVariable, change: VariableChange): Variable {
  const value = change.value ?? variable.value;
  if (value === undefined) throw invalid({ value: ['cannot be decrypted, and must be given'] });
  return {
    ...variable,
    value,
    variableType: change.variableType ?? variable.variableType,
    protected: change.protected ?? variable.protected,
    masked: change.masked ?? variable.masked,
    raw: change.raw ?? variable.raw,
    environmentScope: change.environmentScope ?? variable.environmentScope,
    description: change.description === null ? undefined : (change.description ?? variable.description),
  };
}

/**
 * Changes a variable.
 * @param isTaken whether another variable has the key with the new scope
 * @throws AppError invalid, with every problem at once
 */
export function decideUpdate(variable: StoredVariable, change: VariableChange, isTaken: boolean): Variable {
  const result = changed(variable, change);
  const problems = variableProblems(result);
  note(problems, 'base', visibilityProblems(variable, change));
  if (isTaken) note(problems, 'key', [takenText(variable.key)]);
  refuse(problems);
  return result;
}
