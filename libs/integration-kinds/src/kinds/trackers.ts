import { flag, type IntegrationKind, list, number, required, secret, text, url } from '../kind';

const links =
  'Stored and listed. Nothing is sent; clients lead to the tracker by its addresses (`:id` is the number of an issue).';

/** Of those whose issues texts name (`trackerLinks` in libs/texts). */
const referenced = (examples: string): string =>
  `Nothing is sent. In Markdown that is rendered as HTML ${examples} lead to \`issues_url\`, with the id in the place of \`:id\`.`;
const keys = '`KEY-12`, and where the project has no issues of its own `#12`,';

const tracker = (slug: string, title: string, hasNewIssue: boolean, examples = keys): IntegrationKind => ({
  slug,
  title,
  fields: [
    url('project_url', required),
    url('issues_url', required),
    ...(hasNewIssue ? [url('new_issue_url', required)] : []),
  ],
  switches: ['push_events'],
  does: referenced(examples),
  sends: false,
});

/** Trackers of issues and tasks, and wikis. */
export const trackers: readonly IntegrationKind[] = [
  {
    slug: 'asana',
    title: 'Asana',
    fields: [secret('api_key', required), text('restrict_to_branch')],
    switches: ['push_events'],
    does: 'Comments on the tasks that pushed commits name, and completes those that they close.',
    sends: true,
  },
  tracker('bugzilla', 'Bugzilla', true),
  tracker(
    'clickup',
    'ClickUp',
    false,
    '`CU-86abc` and `KEY-12`, and where the project has no issues of its own `#86abc`,',
  ),
  {
    slug: 'confluence',
    title: 'Confluence Workspace',
    fields: [text('confluence_url', { ...required, form: 'confluence_url', max: 2_048 })],
    switches: [],
    does: 'Stored and listed. Nothing is sent; clients lead to the workspace by its address.',
    sends: false,
  },
  tracker('custom-issue-tracker', 'Custom issue tracker', true),
  tracker('ewm', 'EWM', true, '`bug 12`, `defect 12`, `rtcwi 12`, `task 12`, `work item 12` and `workitem 12`'),
  {
    slug: 'external-wiki',
    title: 'External wiki',
    fields: [url('external_wiki_url', required)],
    switches: [],
    does: 'Stored and listed. Nothing is sent; clients lead to the wiki by its address.',
    sends: false,
  },
  {
    slug: 'jira',
    title: 'Jira issues',
    fields: [
      url('url', required),
      url('api_url'),
      number('jira_auth_type', { min: 0, max: 1, default: 0 }),
      text('username', { max: 255 }),
      secret('password', required),
      text('jira_issue_regex', { form: 'expression', max: 255 }),
      text('jira_issue_prefix', { max: 255 }),
      text('jira_issue_transition_id', { form: 'transitions', max: 255 }),
      text('issues_enabled', { max: 10 }),
      list('project_keys'),
      flag('vulnerabilities_enabled'),
      text('vulnerabilities_issuetype', { max: 255 }),
      text('project_key', { max: 255 }),
      flag('customize_jira_issue_enabled'),
      flag('jira_check_enabled'),
      flag('jira_exists_check_enabled'),
      flag('jira_assignee_check_enabled'),
      flag('jira_status_check_enabled'),
      text('jira_allowed_statuses_as_string'),
    ],
    switches: ['commit_events', 'merge_requests_events', 'comment_on_event_enabled'],
    does: 'Comments on the issues that pushed commits and merge requests name, and moves those that they close on the default branch by `jira_issue_transition_id`. In Markdown that is rendered as HTML `KEY-12` leads to the issue. With `jira_issue_regex`, which a whole word has to match, and with `jira_issue_prefix`, which stands before each key, keys have that form alone. The settings about vulnerabilities, checks of pushes and lists of issues are stored.',
    sends: true,
  },
  {
    slug: 'jira-cloud-app',
    title: 'GitLab for Jira Cloud app',
    fields: [
      text('jira_cloud_app_service_ids'),
      flag('jira_cloud_app_enable_deployment_gating'),
      text('jira_cloud_app_deployment_gating_environments'),
    ],
    switches: [],
    does: 'Stored and listed. The application is installed elsewhere; `jira` comments on issues.',
    sends: false,
    installed: 'GitLab for Jira Cloud app',
    permanent: true,
  },
  {
    slug: 'linear',
    title: 'Linear',
    fields: [url('workspace_url', required)],
    switches: ['push_events'],
    does: 'Nothing is sent. In Markdown that is rendered as HTML `KEY-12` leads to the workspace.',
    sends: false,
  },
  tracker('phorge', 'Phorge', false, '`T12`'),
  {
    slug: 'pivotaltracker',
    title: 'Pivotal Tracker',
    fields: [secret('token', required), text('restrict_to_branch')],
    switches: ['push_events'],
    does: 'Sends each pushed commit to the tracker, which comments on the stories that it names.',
    sends: true,
  },
  tracker('redmine', 'Redmine', true),
  tracker('youtrack', 'JetBrains YouTrack', false),
  {
    slug: 'zentao',
    title: 'ZenTao',
    fields: [
      url('url', required),
      url('api_url'),
      secret('api_token', required),
      text('zentao_product_xid', { ...required, max: 255 }),
    ],
    switches: [],
    does: links,
    sends: false,
  },
];
