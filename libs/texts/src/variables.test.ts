import { variableKeyProblems } from './variables';

const isLong = 'is too long (maximum is 255 characters)';
const isNoName = "can contain only letters, digits and '_'.";

test.each([
  ['KEY_1', []],
  ['k'.repeat(255), []],
  ['', ["can't be blank"]],
  ['k'.repeat(256), [isLong]],
  ['a-b', [isNoName]],
  ['é', [isNoName]],
  ['KEY\n', [isNoName]],
  [' '.repeat(256), [isLong, isNoName]],
])('a key %#', (key, problems) => expect(variableKeyProblems(key)).toEqual(problems));
