import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

/** Markdown as HTML that a page may show as it is. */
export type RenderMarkdown = (text: string) => string;

/**
 * Characters of one text that the parser reads. Crafted texts take it and the sanitizer some milliseconds per thousand, so this bounds how
 * long one can hold the process up. What follows is shown as plain text.
 */
const parsedCharacters = 32_768;

/** Characters of all texts of one reply that are parsed: eight crafted ones, or a hundred that people wrote. */
const parsedOfReply = 262_144;

/**
 * Cells of all tables of one text. The parser fills every row up to the columns of its table, so `|` on a line of its own can cost as much
 * as a thousand cells: without this bound a text of 30,000 characters takes seconds and becomes megabytes.
 */
const cellsOfText = 8_192;

const parser = new MarkdownIt('default', { html: true, linkify: true });
const [parseTable] = new MarkdownIt('zero').enable('table').block.ruler.getRules('');

/** The rule for tables, up to the row that exceeds the cells of the text: that row and those behind it are paragraphs. */
parser.block.ruler.at(
  'table',
  (state, start, end, silent) => {
    const delimiter = state.src.slice(state.bMarks[start + 1], state.eMarks[start + 1]).trim();
    const columns = delimiter.replace(/^\||\|$/g, '').split('|').length;
    const left = Number(state.env.cells ?? cellsOfText);
    const rows = Math.floor(left / columns);
    if (rows < 1 || !parseTable?.(state, start, Math.min(end, start + 1 + rows), silent)) return false;
    if (!silent) state.env.cells = left - (state.line - start) * columns;
    return true;
  },
  { alt: ['paragraph', 'reference'] },
);
// Addresses with their protocol alone: looking for others costs most where there are none, and makes links of file names.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

// A list item that begins with `[ ]` or `[x]` is a task.
parser.core.ruler.after('inline', 'tasks', ({ tokens, Token }) => {
  for (const [at, { type, children }] of tokens.entries()) {
    const task = /^\[([ xX])\]\s/.exec(children?.[0]?.type === 'text' ? children[0].content : '');
    if (type !== 'inline' || task === null || tokens[at - 2]?.type !== 'list_item_open') continue;
    const box = new Token('html_inline', '', 0);
    box.content = task[1] === ' ' ? '<input type="checkbox">' : '<input type="checkbox" checked>';
    const [text] = children ?? [];
    if (text !== undefined) text.content = text.content.slice(3);
    children?.unshift(box);
  }
});

const withAlignment = (tagName: string, { style = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag => {
  const align = /^text-align:(left|right|center)$/.exec(style)?.[1];
  return { tagName, attribs: align === undefined ? {} : { align } };
};

/** What a rendered text may hold. It cannot name an element (`id`, `name`), or look like a part of the page around it (`class`, `style`). */
const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary', 'div', 'span', 'a', 'img', 'code', 'kbd'],
    ...['samp', 'var', 'b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'sub', 'sup', 'q', 'small', 'abbr', 'mark'],
    'input',
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    code: ['class'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
    abbr: ['title'],
    details: ['open'],
    input: ['type', 'checked', 'disabled'],
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
  allowedClasses: { code: [/^language-[\w+#-]+$/] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: 100,
  transformTags: {
    a: (tagName, { href, title }) => ({
      tagName,
      attribs: {
        ...(href === undefined ? {} : { href }),
        ...(title === undefined ? {} : { title }),
        rel: 'nofollow noreferrer noopener',
      },
    }),
    // Only the boxes of tasks, which cannot be used.
    input: (tagName, { type = '', checked }) => ({
      tagName,
      attribs: { type, ...(checked === undefined ? {} : { checked: '' }), disabled: '' },
    }),
    th: withAlignment,
    td: withAlignment,
  },
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Where the parsed part of a text ends: after a whole line, or at least after a whole character. */
function endOfParsed(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const line = text.lastIndexOf('\n', most - 1);
  const end = line > 0 ? line : most;
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** A title as HTML: it is one line of plain text. */
export const renderTitle = (title: string): string => escaped(title);

/**
 * A renderer for the texts of one reply: CommonMark with tables, strikethrough and tasks, and raw HTML as far as it is harmless. It parses the
 * first 32,768 characters of a text, and 262,144 of all texts together. What follows is shown as plain text, in time proportional to it.
 */
export function markdownRenderer(): RenderMarkdown {
  let left = parsedOfReply;
  return (text) => {
    const end = endOfParsed(text, Math.min(left, parsedCharacters));
    left -= end;
    const html = sanitizeHtml(parser.render(text.slice(0, end)), allowed).trimEnd();
    const rest = text.slice(end).trim();
    return rest === '' ? html : `${html}\n<pre>${escaped(rest)}</pre>`;
  };
}
