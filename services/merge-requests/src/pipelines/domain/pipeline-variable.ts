import { invalid } from '@switchyard/errors';

/** A variable that a pipeline was made with. */
export interface PipelineVariable {
  /** 1 to 255 of `[A-Za-z0-9_]`, once in a pipeline. */
  readonly key: string;
  readonly value: string;
  readonly type: PipelineVariableType;
}

/** How an outside CI hands the value on: in the environment, or in a file that the environment names. */
export type PipelineVariableType = 'env_var' | 'file';

const tooLong = (limit: number): string => `is too long (maximum is ${limit} characters)`;

const maxVariables = 200;
const maxKeyLength = 255;
const maxValueLength = 10_000;

function keyProblems(key: string): string[] {
  if (key === '') return ["can't be blank"];
  return [
    ...(key.length > maxKeyLength ? [tooLong(maxKeyLength)] : []),
    ...(/^\w+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
  ];
}

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
    'variables.key': [...new Set(keys.flatMap(keyProblems))],
    'variables.value': variables.some(({ value }) => [...value].length > maxValueLength)
      ? [tooLong(maxValueLength)]
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
