import { branches, flag, type IntegrationKind, number, required, secret, text, url } from '../kind';

const toPipelines = 'Stored and listed. Pipelines run outside, and are given nothing of it.';

/** Longest list of recipients, characters: more than the most addresses need. */
const longestRecipients = 250_000;

/** Mails, messages to devices, and what is stored for others. */
export const others: readonly IntegrationKind[] = [
  {
    slug: 'apple-app-store',
    title: 'Apple App Store Connect',
    fields: [
      text('app_store_issuer_id', { ...required, max: 255 }),
      text('app_store_key_id', { ...required, max: 255 }),
      text('app_store_private_key_file_name', { ...required, max: 255 }),
      secret('app_store_private_key', required),
      flag('app_store_protected_refs', true),
    ],
    switches: [],
    does: toPipelines,
    sends: false,
    projectOnly: true,
  },
  {
    slug: 'assembla',
    title: 'Assembla',
    fields: [secret('token', required), text('subdomain', { max: 255 })],
    switches: ['push_events'],
    does: 'Sends each push to the space.',
    sends: true,
  },
  {
    slug: 'campfire',
    title: 'Campfire',
    fields: [secret('token', required), text('subdomain', { form: 'host', max: 63 }), text('room', { max: 255 })],
    switches: ['push_events'],
    does: 'Posts a message for each push. `room` is the id at the end of its address.',
    sends: true,
  },
  {
    slug: 'emails-on-push',
    title: 'Emails on push',
    fields: [
      text('recipients', { ...required, form: 'emails', max: longestRecipients }),
      flag('send_from_committer_email'),
      flag('disable_diffs'),
      ...branches('all'),
    ],
    switches: ['push_events', 'tag_push_events'],
    does: 'Mails each push to the recipients. Mails have the address of the instance, and name the author of the push; they list files, not their diffs.',
    sends: true,
  },
  {
    slug: 'git-guardian',
    title: 'GitGuardian',
    fields: [secret('token', required)],
    switches: [],
    does: 'Stored and listed. Pushes are not shown to it.',
    sends: false,
  },
  {
    slug: 'google-cloud-platform-artifact-registry',
    title: 'Google Artifact Management',
    fields: [
      text('artifact_registry_project_id', { ...required, max: 255 }),
      text('artifact_registry_repositories', { ...required, max: 1_024 }),
      text('artifact_registry_location', { ...required, max: 255 }),
    ],
    switches: [],
    does: toPipelines,
    sends: false,
  },
  {
    slug: 'google-cloud-platform-workload-identity-federation',
    title: 'Google Cloud IAM',
    fields: [
      text('workload_identity_federation_project_id', { ...required, max: 255 }),
      text('workload_identity_federation_project_number', { ...required, form: 'digits', max: 20 }),
      text('workload_identity_pool_id', { ...required, max: 255 }),
      text('workload_identity_pool_provider_id', { ...required, max: 255 }),
    ],
    switches: [],
    does: toPipelines,
    sends: false,
  },
  {
    slug: 'google-play',
    title: 'Google Play',
    fields: [
      text('package_name', { ...required, max: 255 }),
      text('service_account_key_file_name', { ...required, max: 255 }),
      secret('service_account_key', required),
      flag('google_play_protected_refs', true),
    ],
    switches: [],
    does: toPipelines,
    sends: false,
    projectOnly: true,
  },
  {
    slug: 'harbor',
    title: 'Harbor',
    fields: [
      url('url', required),
      text('project_name', { ...required, max: 255 }),
      text('username', { ...required, max: 255 }),
      secret('password', required),
    ],
    switches: [],
    does: toPipelines,
    sends: false,
  },
  {
    slug: 'irker',
    title: 'irker (IRC gateway)',
    fields: [
      text('server_host', { default: 'localhost', max: 255 }),
      number('server_port', { min: 1, max: 65_535, default: 6_659 }),
      text('default_irc_uri', { max: 1_024 }),
      text('recipients', required),
      flag('colorize_messages'),
    ],
    switches: ['push_events'],
    does: 'Stored and listed. Its protocol is not HTTP, which is all that leaves the instance.',
    sends: false,
  },
  {
    slug: 'mock-monitoring',
    title: 'Mock monitoring',
    fields: [],
    switches: [],
    does: 'Stored and listed, in development alone.',
    sends: false,
    development: true,
  },
  {
    slug: 'pipelines-email',
    title: 'Pipeline status emails',
    fields: [
      text('recipients', { ...required, form: 'emails', max: longestRecipients }),
      flag('notify_only_broken_pipelines', true),
      flag('notify_only_when_pipeline_status_changes'),
      ...branches(),
    ],
    switches: ['pipeline_events'],
    does: 'Mails the end of each pipeline to the recipients.',
    sends: true,
  },
  {
    slug: 'pushover',
    title: 'Pushover',
    fields: [
      secret('api_key', required),
      secret('user_key', required),
      text('device', { max: 255 }),
      text('priority', { ...required, choices: ['-2', '-1', '0', '1', '2'] }),
      text('sound', { max: 255 }),
    ],
    switches: ['push_events'],
    does: 'Sends a message to the devices of the user for each push. One of priority 2 is repeated every minute for an hour, until it is acknowledged.',
    sends: true,
  },
];
