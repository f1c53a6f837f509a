import type { SentChange } from './change-body';
import { chatMessage } from './chat-message';
import { details, writings, written } from './chat-text';
import { jsonRequest, type OutgoingRequest, type SenderSettings } from './outgoing';
import { channelSetting } from './slack';

const colors = { good: 0x1aaa55, bad: 0xdb3b21, neutral: 0x345345 } as const;

/** Characters of the description of an embed that Discord takes. */
const maxDescription = 4_096;

/** Discord: an embed, to the webhook of the event or to the common one. Nobody is mentioned by it. */
export function discord(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  const message = chatMessage(change);
  if (message === undefined) return [];
  const description = [written(message.sentence, writings.markdown), ...details(message, writings.markdown)].join('\n');
  const author = change.body.text('user.name') || change.body.text('user_name');
  return [
    jsonRequest(settings.text(channelSetting(change)) || settings.text('webhook'), {
      embeds: [
        {
          ...(author === ''
            ? {}
            : {
                author: {
                  name: author.slice(0, 256),
                  ...(message.avatarUrl === '' ? {} : { icon_url: message.avatarUrl }),
                },
              }),
          color: colors[message.mood],
          description: description.slice(0, maxDescription),
        },
      ],
      allowed_mentions: { parse: [] },
    }),
  ];
}
