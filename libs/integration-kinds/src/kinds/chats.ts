import {
  branches,
  type Field,
  flag,
  type IntegrationKind,
  required,
  type SwitchName,
  secret,
  secretUrl,
  text,
} from '../kind';

/** What every chat takes. */
const common: readonly SwitchName[] = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'work_item_events',
  'confidential_work_item_events',
];

const filters: readonly Field[] = [
  flag('notify_only_broken_pipelines', true),
  flag('notify_only_when_pipeline_status_changes'),
  ...branches(),
];

const labels: readonly Field[] = [
  text('labels_to_be_notified'),
  text('labels_to_be_notified_behavior', { choices: ['match_any', 'match_all'], default: 'match_any' }),
];

const channelNames = [
  'push_channel',
  'issue_channel',
  'confidential_issue_channel',
  'merge_request_channel',
  'note_channel',
  'confidential_note_channel',
  'tag_push_channel',
  'pipeline_channel',
  'wiki_page_channel',
  'deployment_channel',
  'incident_channel',
  'vulnerability_channel',
  'alert_channel',
];

const channels = channelNames.map((name) => text(name, { max: 1_024 }));

const webhook = secretUrl('webhook', required);
const posts = 'Posts a message for each event.';

const simple = (slug: string, title: string): IntegrationKind => ({
  slug,
  title,
  fields: [webhook, ...filters],
  switches: common,
  does: posts,
  sends: true,
});

const withLabels = (slug: string, title: string, switches: readonly SwitchName[]): IntegrationKind => ({
  slug,
  title,
  fields: [webhook, text('username'), text('channel', { max: 1_024 }), ...filters, ...labels, ...channels],
  switches: [...common, ...switches],
  does: 'Posts a message for each event, to the channels of the event where it has some.',
  sends: true,
});

/** Chats: what happened, in one sentence with links. */
export const chats: readonly IntegrationKind[] = [
  {
    slug: 'discord',
    title: 'Discord Notifications',
    fields: [webhook, ...filters, ...channelNames.map((name) => secretUrl(name))],
    switches: [...common, 'deployment_events'],
    does: 'Posts a message for each event. A channel is the address of another webhook.',
    sends: true,
  },
  {
    slug: 'gitlab-slack-application',
    title: 'GitLab for Slack app',
    fields: [text('channel', { max: 1_024 }), ...filters, ...labels, ...channels],
    switches: [...common, 'deployment_events', 'incident_events', 'vulnerability_events', 'alert_events'],
    does: 'Stored and listed. The application is installed elsewhere; `slack` posts messages.',
    sends: false,
    installed: 'GitLab for Slack app',
  },
  simple('hangouts-chat', 'Google Chat'),
  {
    slug: 'matrix',
    title: 'Matrix notifications',
    fields: [
      text('hostname', { form: 'url', default: 'https://matrix-client.matrix.org' }),
      secret('token', required),
      text('room', { ...required, max: 1_024 }),
      ...filters,
    ],
    switches: [...common, 'incident_events', 'vulnerability_events'],
    does: 'Sends a message to the room for each event. A message that is sent twice is shown once.',
    sends: true,
  },
  withLabels('mattermost', 'Mattermost notifications', [
    'deployment_events',
    'incident_events',
    'vulnerability_events',
  ]),
  {
    slug: 'mattermost-slash-commands',
    title: 'Mattermost slash commands',
    fields: [secret('token', required)],
    switches: [],
    does: 'Stored and listed. There are no slash commands.',
    sends: false,
  },
  simple('microsoft-teams', 'Microsoft Teams notifications'),
  simple('pumble', 'Pumble'),
  withLabels('slack', 'Slack notifications', [
    'deployment_events',
    'incident_events',
    'vulnerability_events',
    'alert_events',
  ]),
  {
    slug: 'slack-slash-commands',
    title: 'Slack slash commands',
    fields: [secret('token', required)],
    switches: [],
    does: 'Stored and listed. There are no slash commands.',
    sends: false,
  },
  {
    slug: 'telegram',
    title: 'Telegram',
    fields: [
      text('hostname', { form: 'url', default: 'https://api.telegram.org' }),
      secret('token', required),
      text('room', { ...required, max: 1_024 }),
      text('thread', { form: 'digits', max: 20 }),
      ...filters,
    ],
    switches: [...common, 'incident_events', 'vulnerability_events'],
    does: 'Sends a message to the chat for each event.',
    sends: true,
  },
  simple('unify-circuit', 'Unify Circuit'),
  simple('webex-teams', 'Webex Teams'),
];
