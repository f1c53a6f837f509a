import { fieldsToTake, importedFields } from './imported-fields';

test('a refresh takes what changed at the forge alone, and leaves what somebody changed here', () => {
  const wrote = importedFields({ title: 'Old', state: 'opened', labels: [1], locked: false });
  const ours = importedFields({ title: 'Mine', state: 'opened', labels: [1, 2], locked: false, more: 1 });
  const theirs = importedFields({ title: 'Theirs', state: 'closed', labels: [1], locked: undefined, more: 2 });
  expect([...fieldsToTake(wrote, ours, theirs)]).toEqual(['state', 'locked']);
  expect([...fieldsToTake(wrote, wrote, wrote)]).toEqual([]);
  // Of one that came in before fields were kept nothing is known.
  expect([...fieldsToTake({}, ours, theirs)]).toEqual([]);
});
