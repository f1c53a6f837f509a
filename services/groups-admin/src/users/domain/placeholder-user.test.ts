import { placeholderOf } from './placeholder-user';

test.each([
  ['octocat', 'Mona', 'octocat_placeholder_', 'Placeholder Mona'],
  ['octocat', '', 'octocat_placeholder_', 'Placeholder octocat'],
  ['--a..b/ü[bot]', '', 'a_b_bot__placeholder_', 'Placeholder --a..b/ü[bot]'],
  ['🐛', '', 'someone_placeholder_', 'Placeholder 🐛'],
  ['x'.repeat(300), '', `${'x'.repeat(100)}_placeholder_`, `Placeholder ${'x'.repeat(100)}`],
])('%j becomes a name that a path may have', (login, name, prefix, shown) => {
  const person = { projectId: 1, foreignId: '5', login, name };
  expect(placeholderOf(person)).toEqual({ projectId: 1, foreignId: '5', prefix, name: shown });
});
