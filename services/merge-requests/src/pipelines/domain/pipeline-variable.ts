import { invalid } from '@switchyard/errors';
import { maxVariableValueLength, variableKeyProblems } from '@switchyard/texts';

/** A variable that a pipeline was made with. */
export interface PipelineVariable {
  /** 1 to 255 of `[A-Za-z0-9_]`, once in a pipeline. */
  readonly key: string;
  readonly value: string;
  readonly type: PipelineVariableType;
}

/** How an outside CI hands the value on: in the environment, or in a file that the environment names. */
export type PipelineVariableType = 'env_var' | 'file';

/** A variable as an outside CI gets it for a pipeline. */
export interface CiVariable extends Omit<PipelineVariable, 'value'> {
  /** undefined: hidden from the reader. */
  readonly value: string | undefined;
  /** For pipelines of protected refs alone. */
  readonly protected: boolean;
  /** Not to be shown in logs. */
  readonly masked: boolean;
  /** References in the value stay as they are. */
  readonly raw: boolean;
  readonly environmentScope: string;
  readonly source: 'pipeline' | 'project' | 'group' | 'instance';
}

/** Of each key what a pipeline was made with, else what it inherits; by key. */
export function precedence(own: readonly PipelineVariable[], inherited: readonly CiVariable[]): CiVariable[] {
  const nearest = new Map(inherited.map((variable) => [variable.key, variable]));
  for (const variable of own) {
    nearest.set(variable.key, {
      ...variable,
      protected: false,
      masked: false,
      raw: false,
      environmentScope: '*',
      source: 'pipeline',
    });
  }
  return [...nearest.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

const maxVariables = 200;

/**
 * The variables of a new pipeline, with the blanks around their keys cut off.
 * @throws AppError invalid with every problem at once: more than 200, keys that are no names or are given twice, values
 * of more than 10,000 characters
 */
export function checkedVariables(given: readonly PipelineVariable[]): PipelineVariable[] {
  if (given.length > maxVariables) throw invalid({ variables: [`is too long (maximum is ${maxVariables} variables)`] });
  const variables = given.map((variable) => ({ ...variable, key: variable.key.trim() }));
  const keys = variables.map(({ key }) => key);
  const repeated = [...new Set(keys.filter((key, index) => key !== '' && keys.indexOf(key) !== index))];
  const problems = {
    'variables.key': [...new Set(keys.flatMap(variableKeyProblems))],
    'variables.value': variables.some(({ value }) => [...value].length > maxVariableValueLength)
      ? [`is too long (maximum is ${maxVariableValueLength} characters)`]
      : [],
    base:
      repeated.length === 0
        ? []
        : [`Duplicate variable name${repeated.length === 1 ? '' : 's'}: ${repeated.join(', ')}`],
  };
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0);
  if (found.length > 0) throw invalid(Object.fromEntries(found));
  return variables;
}
