import { escapedText, headerLine } from '../../mail';
import type { Reason } from './decide';
import type { Subject } from './notification-event';
import { reasonText } from './notification-text';

/** One thing that happened, ready to be written. */
export interface Passage {
  readonly sentence: string;
  /** Markdown of a user; empty for none. */
  readonly text: string;
  /** Address of what it is about, a note on it included. */
  readonly url: string;
}

/** What one mail tells of one subject. */
export interface Chapter {
  readonly subject: Subject;
  /** `#3`, `!7`, `&2` … */
  readonly reference: string;
  readonly title: string;
  /** Full path of the project or group. */
  readonly path: string;
  readonly passages: readonly Passage[];
}

/** What stands at the end. */
export interface Footer {
  readonly reason: Reason;
  /** Address that ends these mails. */
  readonly unsubscribe: string;
  /** Whether there are more events: not how many, since the reader may not read all of them. */
  readonly isCut: boolean;
}

/** Markdown of a project, or of a group with an id of 0, as HTML. */
type RenderMarkdown = (text: string, projectId: number) => string;

/** A mail as text and as HTML. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const nameOf = ({ path, reference, title }: Chapter): string =>
  [path, [title, reference === '' ? '' : `(${reference})`].filter((part) => part !== '').join(' ')].join(' | ');

const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').trim();

const moreOf = (isCut: boolean): string[] => (isCut ? ['… and more.'] : []);

const end = ({ reason, unsubscribe }: Footer): string[] => [
  `You get this mail because ${reasonText(reason)}.`,
  `End these mails: ${unsubscribe}`,
];

function textOf(chapters: readonly Chapter[], footer: Footer): string {
  const many = chapters.length > 1;
  const body = chapters.flatMap((chapter) => [
    ...(many ? [headerLine(nameOf(chapter)), ''] : []),
    ...chapter.passages.flatMap(({ sentence, text, url }) => [
      headerLine(sentence),
      ...(text === '' ? [] : ['', plain(text)]),
      '',
      url,
      '',
    ]),
  ]);
  return `${[...body, ...moreOf(footer.isCut), '-- ', ...end(footer)].join('\n').toWellFormed()}\n`;
}

const link = (url: string, text: string): string => `<a href="${escapedText(url)}">${escapedText(text)}</a>`;

function htmlOf(chapters: readonly Chapter[], footer: Footer, markdown: RenderMarkdown): string {
  const many = chapters.length > 1;
  const body = chapters.flatMap((chapter) => [
    ...(many ? [`<h2>${escapedText(headerLine(nameOf(chapter)))}</h2>`] : []),
    ...chapter.passages.flatMap(({ sentence, text, url }) => [
      `<p>${escapedText(headerLine(sentence))}</p>`,
      ...(text === '' ? [] : [`<blockquote>${markdown(text, chapter.subject.projectId)}</blockquote>`]),
      `<p>${link(url, url)}</p>`,
    ]),
  ]);
  const { reason, unsubscribe, isCut } = footer;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head><body>',
    ...body,
    ...moreOf(isCut).map((line) => `<p>${line}</p>`),
    '<hr>',
    `<p>You get this mail because ${reasonText(reason)}. ${link(unsubscribe, 'End these mails')}.</p>`,
    '</body></html>',
    '',
  ]
    .join('\n')
    .toWellFormed();
}

/**
 * Writes a mail about one subject, or a digest about several. Its subject line is the same for all mails of a thread but
 * for `Re: `, so that readers keep them together.
 */
export function writeMail(
  chapters: readonly Chapter[],
  footer: Footer,
  { answers, markdown }: { readonly answers: boolean; readonly markdown: RenderMarkdown },
): Written {
  const [first] = chapters;
  const about = first === undefined ? '' : nameOf(first);
  const places = new Set(chapters.map(({ path }) => path)).size;
  const kinds = chapters.some(({ subject: { groupId } }) => groupId !== undefined) ? 'projects and groups' : 'projects';
  const subject =
    chapters.length > 1
      ? `What happened in ${places === 1 ? (first?.path ?? '') : `${places} ${kinds}`}`
      : `${answers ? 'Re: ' : ''}${about}`;
  return {
    subject: headerLine(subject),
    text: textOf(chapters, footer),
    html: htmlOf(chapters, footer, markdown),
  };
}
