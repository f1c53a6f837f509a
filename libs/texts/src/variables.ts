/** Characters of the value of a variable at the most. */
export const maxVariableValueLength = 10_000;

const maxKeyLength = 255;

/** What is wrong with the key of a variable; empty when it is valid. */
export function variableKeyProblems(key: string): string[] {
  if (key === '') return ["can't be blank"];
  return [
    ...(key.length > maxKeyLength ? [`is too long (maximum is ${maxKeyLength} characters)`] : []),
    ...(/^[A-Za-z0-9_]+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
  ];
}
