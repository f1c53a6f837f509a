import { type IntegrationKind, integrationKind } from '@switchyard/integration-kinds';
import { keyFinder } from '@switchyard/patterns';
import type { Secrets, SettingValue, Switches } from '../integration';
import * as builds from './builds';
import type { SentChange } from './change-body';
import { discord } from './discord';
import { emailsOnPush, pipelinesEmail } from './mails';
import type { OutgoingMail, OutgoingRequest, SenderSettings } from './outgoing';
import * as chats from './simple-chats';
import { mattermost, slack } from './slack';
import { asana, jira, type MentionFinder, mentionFinder, pivotalTracker } from './trackers';

/** Makes the requests of a change; none where the kind has nothing to say of it. */
export type Sender = (settings: SenderSettings, change: SentChange) => OutgoingRequest[];

/** Makes the mail of a change. */
export type MailSender = (settings: SenderSettings, change: SentChange) => OutgoingMail | undefined;

/** The keys that an integration finds: by its expression, behind its prefix, or as Jira makes them. */
function keysOf(settings: SenderSettings): MentionFinder {
  const [prefix, expression] = [settings.text('jira_issue_prefix'), settings.text('jira_issue_regex')];
  return mentionFinder(prefix === '' && expression === '' ? undefined : keyFinder({ expression, prefix }));
}

/** Kinds that send requests. */
export const senders: Readonly<Record<string, Sender>> = {
  asana,
  assembla: builds.assembla,
  bamboo: builds.bamboo,
  buildkite: builds.buildkite,
  campfire: chats.campfire,
  datadog: builds.datadog,
  discord,
  'drone-ci': builds.droneCi,
  github: builds.github,
  'hangouts-chat': chats.hangoutsChat,
  jenkins: builds.jenkins,
  jira: (settings, change) => jira(settings, change, keysOf(settings)),
  matrix: chats.matrix,
  mattermost,
  'microsoft-teams': chats.microsoftTeams,
  packagist: builds.packagist,
  pivotaltracker: pivotalTracker,
  pumble: chats.pumble,
  pushover: chats.pushover,
  slack,
  'squash-tm': builds.squashTm,
  teamcity: builds.teamcity,
  telegram: chats.telegram,
  'unify-circuit': chats.unifyCircuit,
  'webex-teams': chats.webexTeams,
};

/** Kinds that have mails sent. */
export const mailSenders: Readonly<Record<string, MailSender>> = {
  'emails-on-push': emailsOnPush,
  'pipelines-email': pipelinesEmail,
};

/** Kinds that say what happened in a sentence: what has none is not for them. */
export const chatKinds: ReadonlySet<string> = new Set([
  'campfire',
  'discord',
  'emails-on-push',
  'hangouts-chat',
  'matrix',
  'mattermost',
  'microsoft-teams',
  'pipelines-email',
  'pumble',
  'pushover',
  'slack',
  'telegram',
  'unify-circuit',
  'webex-teams',
]);

/** The settings of an integration as a sender reads them, defaults included. */
export function senderSettings(
  slug: string,
  values: Readonly<Record<string, SettingValue>>,
  secrets: Secrets,
  switches: Switches = {},
): SenderSettings {
  const kind: IntegrationKind | undefined = integrationKind(slug);
  const defaults = Object.fromEntries(
    (kind?.fields ?? []).flatMap((field) =>
      'default' in field && field.default !== undefined ? [[field.name, field.default]] : [],
    ),
  );
  const all: Record<string, SettingValue> = {
    comment_on_event_enabled: true,
    ...defaults,
    ...switches,
    ...values,
    ...secrets,
  };
  return {
    text: (name) => (typeof all[name] === 'string' ? all[name] : ''),
    flag: (name) => all[name] === true,
    number: (name) => (typeof all[name] === 'number' ? all[name] : 0),
  };
}
