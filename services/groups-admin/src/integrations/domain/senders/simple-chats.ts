import type { SentChange } from './change-body';
import { type ChatMessage, chatMessage } from './chat-message';
import { details, whole, writings, written } from './chat-text';
import { basic, below, jsonRequest, type OutgoingRequest, type SenderSettings } from './outgoing';

type Send = (settings: SenderSettings, change: SentChange) => OutgoingRequest[];

/** A chat that takes one request for each message. */
const chat =
  (requestOf: (settings: SenderSettings, message: ChatMessage, change: SentChange) => OutgoingRequest): Send =>
  (settings, change) => {
    const message = chatMessage(change);
    return message === undefined ? [] : [requestOf(settings, message, change)];
  };

const colors = { good: '1AAA55', bad: 'DB3B21', neutral: '345345' } as const;

/** Microsoft Teams: a MessageCard. */
export const microsoftTeams = chat((settings, message) => {
  const text = details(message, writings.markdown).join('\n\n');
  return jsonRequest(settings.text('webhook'), {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    summary: written(message.sentence, writings.plain),
    themeColor: colors[message.mood],
    text: written(message.sentence, writings.markdown),
    sections: text === '' ? [] : [{ text }],
    potentialAction: [{ '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: message.url }] }],
  });
});

/** Google Chat: messages about one thing are one thread. */
export const hangoutsChat = chat((settings, message) =>
  jsonRequest(below(settings.text('webhook'), '', { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }), {
    text: whole(message, writings.slack),
    thread: { threadKey: message.thread },
  }),
);

/** Webex: Markdown. */
export const webexTeams = chat((settings, message) =>
  jsonRequest(settings.text('webhook'), { markdown: whole(message, writings.markdown, '  \n') }),
);

/** Pumble. */
export const pumble = chat((settings, message) =>
  jsonRequest(settings.text('webhook'), { text: whole(message, writings.slack) }),
);

/** Unify Circuit. */
export const unifyCircuit = chat((settings, message, { body }) =>
  jsonRequest(settings.text('webhook'), {
    subject: body.text('project.path_with_namespace') || body.text('project.name'),
    text: whole(message, writings.markdown),
    markdown: true,
  }),
);

/** Characters of a message that Telegram takes. */
const maxTelegram = 4_096;

/** Telegram: a message of the bot to the chat, or to a thread of it. */
export const telegram = chat((settings, message) => {
  const text = whole(message, writings.html);
  return jsonRequest(below(settings.text('hostname'), `/bot${settings.text('token')}/sendMessage`), {
    chat_id: settings.text('room'),
    ...(settings.text('thread') === '' ? {} : { message_thread_id: Number(settings.text('thread')) }),
    // What is cut could end within a tag.
    ...(text.length <= maxTelegram
      ? { text, parse_mode: 'HTML' }
      : { text: whole(message, writings.plain).slice(0, maxTelegram) }),
    link_preview_options: { is_disabled: true },
  });
});

/** Matrix: the key of the delivery is the id of the transaction, so that a repeated message is shown once. */
export const matrix = chat((settings, message, { key }) => {
  const room = encodeURIComponent(settings.text('room'));
  return jsonRequest(
    below(settings.text('hostname'), `/_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(key)}`),
    {
      msgtype: 'm.text',
      body: whole(message, writings.plain),
      format: 'org.matrix.custom.html',
      formatted_body: whole(message, writings.html, '<br>'),
    },
    { method: 'PUT', headers: { Authorization: `Bearer ${settings.text('token')}` } },
  );
});

/** Campfire: a message of the room. */
export const campfire = chat((settings, message) => {
  const room = encodeURIComponent(settings.text('room'));
  return jsonRequest(
    `https://${settings.text('subdomain') || 'www'}.campfirenow.com/room/${room}/speak.json`,
    { message: { body: whole(message, writings.plain) } },
    { headers: basic(settings.text('token'), 'X') },
  );
});

/** Seconds between two repetitions of an emergency, and for which it is repeated. */
const [retry, expire] = [60, 3_600];

/** Pushover: a message to the devices of the user. */
export const pushover = chat((settings, message, { body }) => {
  const isEmergency = settings.text('priority') === '2';
  const optional = Object.fromEntries(
    ['device', 'sound'].flatMap((name) => (settings.text(name) === '' ? [] : [[name, settings.text(name)]])),
  );
  return jsonRequest('https://api.pushover.net/1/messages.json', {
    token: settings.text('api_key'),
    user: settings.text('user_key'),
    ...optional,
    priority: Number(settings.text('priority')),
    ...(isEmergency ? { retry, expire } : {}),
    title: body.text('project.path_with_namespace').slice(0, 250),
    message: whole(message, { text: (text) => text, link: (text) => text }).slice(0, 1_024),
    url: message.url.slice(0, 512),
    url_title: 'See what was pushed',
  });
});
