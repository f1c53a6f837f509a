import { type MessageValues, mergeMessage, squashMessage, suggestionMessage } from './merge-message';

const values: MessageValues = {
  sourceBranch: 'feature',
  targetBranch: 'main',
  title: 'A title',
  description: undefined,
  reference: 'group/project!7',
  url: 'https://x.test/group/project/-/merge_requests/7',
  firstCommit: 'First\n',
  allCommits: ['First\n', 'Second\n\nWith a body\n'],
  mergedBy: 'Ada <ada@example.org>',
  author: 'Eve <eve@example.org>',
  coAuthors: ['Bob <bob@example.org>'],
};

test('the usual messages', () => {
  expect(mergeMessage(undefined, undefined, values)).toBe(
    "Merge branch 'feature' into 'main'\n\nA title\n\nSee merge request group/project!7",
  );
  expect(squashMessage(undefined, undefined, values)).toBe('A title');
});

test('what the caller gives comes first, then the template', () => {
  expect(mergeMessage('Mine', 'Template', values)).toBe('Mine');
  expect(mergeMessage('', '%{title}\n\n%{description}\n\n%{local_reference} %{unknown}', values)).toBe(
    'A title\n\n!7 %{unknown}',
  );
  expect(squashMessage(undefined, '%{first_multiline_commit}\n\n%{co_authored_by}', values)).toBe(
    'Second\n\nWith a body\n\nCo-authored-by: Bob <bob@example.org>',
  );
  expect(squashMessage(undefined, '%{all_commits}', values)).toBe('* First\n\n* Second\n\nWith a body');
});

test('who merges and whose merge request it is are two people', () => {
  expect(mergeMessage(undefined, '%{merged_by} merges for %{merge_request_author}', values)).toBe(
    'Ada <ada@example.org> merges for Eve <eve@example.org>',
  );
});

test('a commit that applies suggestions names its co-authors, where there are any', () => {
  const applied = {
    branch: 'feature',
    paths: ['a.txt', 'b.txt'],
    project: { name: 'Project', path: 'group/project' },
    suggestions: 3,
    user: { name: 'Ada', username: 'ada' },
    coAuthors: ['Bob <bob@example.org>'],
  };
  expect(suggestionMessage('', undefined, applied)).toBe(
    'Apply 3 suggestion(s) to 2 file(s)\n\nCo-authored-by: Bob <bob@example.org>',
  );
  expect(suggestionMessage('', undefined, { ...applied, coAuthors: [] })).toBe('Apply 3 suggestion(s) to 2 file(s)');
  const all =
    '%{branch_name} %{files_count} %{file_paths} %{project_name} %{project_path} %{user_full_name} %{username}';
  expect(suggestionMessage(undefined, all, applied)).toBe('feature 2 a.txt, b.txt Project group/project Ada ada');
  expect(suggestionMessage('%{username} %{title}', all, applied)).toBe('ada %{title}');
  const often = '%{file_paths}'.repeat(100_000);
  expect(() => suggestionMessage(often, all, applied)).toThrow('bad_request');
});
