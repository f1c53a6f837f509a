import { newProjectOf } from './new-project';

it('a description is cut where it is longer than a project has it, by characters', () => {
  const most = '🐛'.repeat(2_000);
  const descriptionOf = (description: string) => newProjectOf({ description, defaultBranch: '' }).description;
  expect(descriptionOf(most)).toBe(most);
  expect(descriptionOf(`${most}x`)).toBe(`${'🐛'.repeat(1_999)}…`);
});

it.each([
  ['main', true],
  ['', true],
  ['é'.repeat(126), false],
  ['-x', false],
  ['a'.repeat(40), false],
])('the default branch %s is one here: %s', (defaultBranch, isPossible) => {
  expect(newProjectOf({ description: '', defaultBranch }).defaultBranch).toBe(isPossible ? defaultBranch : '');
});
