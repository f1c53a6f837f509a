import type { Effective, IntegrationRow } from './integration';
import { trackerOf } from './tracker';

const active = (id: number, slug: string, values: IntegrationRow['values']): Effective => {
  const at = new Date(0);
  const row = { id, slug, active: true, inherits: false, values, switches: {}, createdAt: at, updatedAt: at };
  return { source: row, row, inherited: false, active: true };
};
const redmine = active(7, 'redmine', { issues_url: 'https://r.example/issues/:id' });

test.each<[string, Effective[], boolean, object | undefined]>([
  ['nothing is set up', [], true, undefined],
  ['a chat is no tracker', [active(1, 'slack', { issues_url: 'https://x.example/:id' })], true, undefined],
  [
    'a project with issues of its own',
    [redmine],
    true,
    {
      ...{ slug: 'redmine', issuesUrl: 'https://r.example/issues/:id', ownsNumbers: false },
      ...{ keyExpression: '', keyPrefix: '' },
    },
  ],
  ['a project without', [redmine], false, { ownsNumbers: true }],
  [
    'the first of two',
    [redmine, active(3, 'phorge', { issues_url: 'https://p.example/:id' })],
    true,
    { slug: 'phorge' },
  ],
  [
    'Jira by its address',
    [active(1, 'jira', { url: 'https://j.example/' })],
    true,
    { issuesUrl: 'https://j.example/browse/:id' },
  ],
  [
    'Jira with keys of another form',
    [active(1, 'jira', { url: 'https://j.example', jira_issue_regex: 'X.', jira_issue_prefix: 'J' }), redmine],
    true,
    { slug: 'jira', issuesUrl: 'https://j.example/browse/:id', keyExpression: 'X.', keyPrefix: 'J' },
  ],
  [
    'Linear',
    [active(1, 'linear', { workspace_url: 'https://l.example/w' })],
    true,
    { issuesUrl: 'https://l.example/w/issue/:id' },
  ],
])('%s', (_, found, hasIssues, expected) => {
  const tracker = trackerOf(found, hasIssues);
  if (expected === undefined) expect(tracker).toBeUndefined();
  else expect(tracker).toMatchObject(expected);
});
