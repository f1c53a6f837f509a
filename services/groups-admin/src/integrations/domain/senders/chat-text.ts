import type { ChatMessage, Piece } from './chat-message';
import { escaped } from './outgoing';

/** How a chat writes texts and links. */
interface Writing {
  text(text: string): string;
  link(text: string, url: string): string;
}

/** An address that cannot end a link in Markdown or in Slack's form of it. */
const address = (url: string): string =>
  url.replace(/[()<>|\s\\]/g, (sign) =>
    encodeURIComponent(sign).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29')),
  );

/** An at sign that mentions nobody: Mattermost notifies all members of a channel of `@all` in any text. */
const markdownText = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/\r?\n/g, '  \n');
const slackText = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? sign);

/** The ways of writing. */
export const writings = {
  plain: { text: (text) => text, link: (text, url) => `${text} (${url})` },
  markdown: { text: markdownText, link: (text, url) => `[${markdownText(text)}](${address(url)})` },
  slack: { text: slackText, link: (text, url) => `<${address(url)}|${slackText(text).replaceAll('|', '¦')}>` },
  html: { text: escaped, link: (text, url) => `<a href="${escaped(url)}">${escaped(text)}</a>` },
} as const satisfies Record<string, Writing>;

/** One line. */
export const written = (pieces: readonly Piece[], { text, link }: Writing): string =>
  pieces.map((piece) => (typeof piece === 'string' ? text(piece) : link(piece.text, piece.url))).join('');

/** What comes below the sentence: lines, and what somebody wrote. */
export const details = ({ lines, quote }: ChatMessage, writing: Writing): string[] => [
  ...lines.map((pieces) => written(pieces, writing)),
  ...(quote === '' ? [] : [writing.text(quote)]),
];

/** The whole message, one line below the other. */
export const whole = (message: ChatMessage, writing: Writing, lineBreak = '\n'): string =>
  [written(message.sentence, writing), ...details(message, writing)].join(lineBreak);
