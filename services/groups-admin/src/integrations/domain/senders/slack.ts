import type { SentChange } from './change-body';
import { type ChatMessage, chatMessage, isOfIncident } from './chat-message';
import { details, writings, written } from './chat-text';
import { jsonRequest, namesIn, type OutgoingRequest, type SenderSettings } from './outgoing';

const colors = { good: 'good', bad: 'danger', neutral: '#345' } as const;

/** The setting that names the channels of a change. */
export function channelSetting(change: SentChange): string {
  if (isOfIncident(change)) return 'incident_channel';
  return `${change.confidential ? 'confidential_' : ''}${change.kind}_channel`;
}

const payload = (message: ChatMessage, writing: (typeof writings)['slack' | 'markdown']) => {
  const fallback = written(message.sentence, writings.plain);
  const text = details(message, writing).join('\n');
  return {
    text: written(message.sentence, writing),
    ...(message.avatarUrl === '' ? {} : { icon_url: message.avatarUrl }),
    attachments: text === '' ? [] : [{ fallback, color: colors[message.mood], text, mrkdwn_in: ['text'] }],
  };
};

const sendsTo =
  (writing: (typeof writings)['slack' | 'markdown']) =>
  (settings: SenderSettings, change: SentChange): OutgoingRequest[] => {
    const message = chatMessage(change);
    if (message === undefined) return [];
    const channels = namesIn(settings.text(channelSetting(change)) || settings.text('channel'));
    const username = settings.text('username');
    return (channels.length === 0 ? [undefined] : channels).map((channel) =>
      jsonRequest(settings.text('webhook'), {
        ...(channel === undefined ? {} : { channel }),
        ...(username === '' ? {} : { username }),
        ...payload(message, writing),
      }),
    );
  };

/** Slack: a message for each channel of the event. */
export const slack = sendsTo(writings.slack);

/** Mattermost: Slack's form, with texts in Markdown. */
export const mattermost = sendsTo(writings.markdown);
