/** Sections of the reference by a segment of the path; what names none, such as `/projects/:id/archive`, stands with the first segment. */
const sections: Readonly<Record<string, string>> = {
  version: 'Instance',
  metadata: 'Instance',
  user: 'Users',
  users: 'Users',
  personal_access_tokens: 'Personal access tokens',
  namespaces: 'Namespaces',
  groups: 'Groups',
  projects: 'Projects',
  members: 'Members',
  labels: 'Labels',
  milestones: 'Milestones',
  issues: 'Issues',
  issues_statistics: 'Issues',
  events: 'Events',
  todos: 'To-dos',
  merge_requests: 'Merge requests',
  repository: 'Repositories',
  branches: 'Branches',
  commits: 'Commits',
  files: 'Repository files',
  tags: 'Tags',
  protected_branches: 'Protected branches',
  pipelines: 'Pipelines',
  pipeline: 'Pipelines',
  statuses: 'Commit statuses',
};

/** Section of an endpoint. */
export const sectionOf = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '');
  const [first = '', second = '', third = '', fourth = ''] = parts;
  const named = [third === 'repository' ? fourth : '', third, second, first].find((part) =>
    Object.hasOwn(sections, part),
  );
  return named === undefined ? first : (sections[named] as string);
};

/** What each section is about. */
export const sectionTexts: Readonly<Record<string, string>> = {
  Instance: 'The installation itself.',
  Users: 'People and their accounts.',
  'Personal access tokens': 'What programs sign in with.',
  Namespaces: 'The paths that projects lie under: of users and of groups.',
  Groups: 'Groups of projects and of further groups.',
  Projects: 'A repository with its issues, merge requests, alerts and settings.',
  Members: 'Who belongs to a group or project, and in which role.',
  Labels: 'Marks for issues and merge requests.',
  Milestones: 'Dates that issues and merge requests aim at.',
  Issues: 'What is to be done.',
  Events: 'Who did what, and when.',
  'To-dos': 'What waits for the caller.',
  'Merge requests': 'Proposed changes: their review, comments, and merging.',
  Repositories: 'Trees, blobs and comparisons of a repository.',
  Branches: 'Branches of a repository.',
  Commits: 'Commits of a repository, and comments on them.',
  'Repository files': 'Single files of a repository.',
  Tags: 'Tags of a repository.',
  'Protected branches': 'Who may push to and merge into which branches.',
  Pipelines: 'Runs of an outside CI.',
  'Commit statuses': 'What an outside CI reports.',
  'Alert inlet': 'Where monitoring tools send their alerts. Its addresses lie outside `/api/v4`.',
};
