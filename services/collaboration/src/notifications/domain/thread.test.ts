import { listIdOf } from './thread';

const long = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(60)).join('/');

it.each([
  ['a path', 'Team/My App', 'Team/My App <17.my-app.team.code.example>'],
  ['a path that does not fit beside its name', `${'a'.repeat(120)}/b`, `<17.b.${'a'.repeat(120)}.code.example>`],
  ['a path that does not fit at all', long, '<17.project.code.example>'],
])('a list of %s has a name that is whole', (_what, path, expected) => {
  const listId = listIdOf({ kind: 'Project', id: 17, path }, 'code.example');
  expect(listId).toBe(expected);
  expect(listId.length).toBeLessThanOrEqual(250);
});
