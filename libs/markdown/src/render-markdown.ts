import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

/** Parts of a text that lead to addresses, in their order and apart from each other. */
type FindLinks = (text: string) => readonly { readonly start: number; readonly end: number; readonly url: string }[];

type Token = MarkdownIt.Token;

/** Markdown as HTML that a page may show as it is. */
export type RenderMarkdown = (
  text: string,
  /** Finds what leads elsewhere in prose, such as names of issues; code and links are not looked at. */
  links?: FindLinks,
  /** Address of the project, below which its `/uploads/…` lie; such links stay as they are without it. */
  project?: string,
) => string;

/**
 * Characters of one text that the parser reads. Parser and sanitizer need some milliseconds per thousand characters of
 * a crafted text, so this limits how long one text can block the process. The rest is shown as plain text.
 */
const maxParsedCharacters = 32_768;

/** Characters of all texts of one reply that are parsed: eight crafted texts, or a hundred ordinary ones. */
const maxParsedOfReply = 262_144;

/**
 * Cells of all tables of one text. The parser fills every row up to the columns of its table, so a line with only `|`
 * can cost as much as a thousand cells: without this limit a text of 30,000 characters takes seconds and becomes
 * megabytes.
 */
const maxCells = 8_192;

const parser = new MarkdownIt('default', { html: true, linkify: true });
const [parseTable] = new MarkdownIt('zero').enable('table').block.ruler.getRules('');

/** The rule for tables, up to the row that exceeds `maxCells`: that row and the rows after it are paragraphs. */
parser.block.ruler.at(
  'table',
  (state, start, end, silent) => {
    const delimiter = state.src.slice(state.bMarks[start + 1], state.eMarks[start + 1]).trim();
    const columns = delimiter.replace(/^\||\|$/g, '').split('|').length;
    const left = Number(state.env.cells ?? maxCells);
    const rows = Math.floor(left / columns);
    if (rows < 1 || !parseTable?.(state, start, Math.min(end, start + 1 + rows), silent)) return false;
    if (!silent) state.env.cells = left - (state.line - start) * columns;
    return true;
  },
  { alt: ['paragraph', 'reference'] },
);
// Only addresses with a protocol: to search for others is expensive where there are none, and turns file names into
// links.
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

/** What a text token becomes: the same text, with what was found in it as links. */
function linked(
  text: Token,
  find: FindLinks,
  Made: new (type: string, tag: string, nesting: -1 | 0 | 1) => Token,
): Token[] {
  const pieces: Token[] = [];
  const plain = (content: string): void => {
    if (content === '') return;
    const piece = new Made('text', '', 0);
    piece.content = content;
    piece.level = text.level;
    pieces.push(piece);
  };
  let at = 0;
  for (const { start, end, url } of find(text.content)) {
    if (!parser.validateLink(url)) continue;
    plain(text.content.slice(at, start));
    const open = new Made('link_open', 'a', 1);
    open.attrs = [['href', parser.normalizeLink(url)]];
    pieces.push(open);
    plain(text.content.slice(start, end));
    pieces.push(new Made('link_close', 'a', -1));
    at = end;
  }
  plain(text.content.slice(at));
  return pieces;
}

// Names of issues elsewhere, as `env.links` finds them.
parser.core.ruler.push('links', ({ tokens, env, Token: Made }) => {
  const { links } = env as { readonly links?: FindLinks };
  if (links === undefined) return;
  for (const token of tokens) {
    if (token.type !== 'inline' || token.children === null) continue;
    // Links that were written, and those of raw HTML, are not looked into.
    let depth = 0;
    token.children = token.children.flatMap((child) => {
      if (child.type === 'link_open' || /^<a[\s>]/i.test(child.type === 'html_inline' ? child.content : '')) depth += 1;
      if (child.type === 'link_close' || /^<\/a[\s>]/i.test(child.type === 'html_inline' ? child.content : ''))
        depth = Math.max(0, depth - 1);
      return child.type === 'text' && depth === 0 ? linked(child, links, Made) : [child];
    });
  }
});

const withAlignment = (tagName: string, { style = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag => {
  const align = /^text-align:(left|right|center)$/.exec(style)?.[1];
  return { tagName, attribs: align === undefined ? {} : { align } };
};

const anchor = (tagName: string, { href, title }: sanitizeHtml.Attributes): sanitizeHtml.Tag => ({
  tagName,
  attribs: {
    ...(href === undefined ? {} : { href }),
    ...(title === undefined ? {} : { title }),
    rel: 'nofollow noreferrer noopener',
  },
});

const inlineTags = [
  ...['a', 'code', 'kbd', 'samp', 'var', 'b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'sub', 'sup', 'q', 'small'],
  ...['abbr', 'mark', 'span'],
];

/**
 * What a rendered text may contain. It cannot name an element (`id`, `name`), or look like a part of the page around it
 * (`class`, `style`).
 */
const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...inlineTags,
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary', 'div', 'img', 'input'],
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
    a: anchor,
    // Only the boxes of tasks, always disabled.
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

/** The link of an upload, as texts of its project have it. */
const uploadLink = /^\/uploads\/[0-9a-f]{32}\/[^/]/;

/** What may be in a text of a project, whose links to uploads lead to where these are. */
function allowedIn(project: string): sanitizeHtml.IOptions {
  const led = (attribs: sanitizeHtml.Attributes, name: string): sanitizeHtml.Attributes =>
    uploadLink.test(attribs[name] ?? '') ? { ...attribs, [name]: `${project}${attribs[name]}` } : attribs;
  return {
    ...allowed,
    transformTags: {
      ...allowed.transformTags,
      a: (tagName, attribs) => anchor(tagName, led(attribs, 'href')),
      img: (tagName, attribs) => ({ tagName, attribs: led(attribs, 'src') }),
    },
  };
}

/** Index at which the parsed part of a text ends: after a whole line, or at least after a whole character. */
function endOfParsed(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const line = text.lastIndexOf('\n', max - 1);
  const end = line > 0 ? line : max;
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** A title as HTML: one line of plain text. */
export const renderTitle = (title: string): string => escaped(title);

const allowedInline: sanitizeHtml.IOptions = { ...allowed, allowedTags: inlineTags };

/** A text without any of these is its own HTML. Lists of merge requests render thousands of short texts. */
const needsRendering = /[*_`~<>&[\]!\\:\n\0]/;

/**
 * A renderer for the short texts of one reply that stand in a line, such as descriptions of labels: Markdown without
 * blocks and images. It parses each text once, and the first 32,768 characters of all texts together. The rest is
 * escaped.
 */
export function inlineRenderer(): RenderMarkdown {
  const rendered = new Map<string, string>();
  let left = maxParsedCharacters;
  return (text) => {
    if (!needsRendering.test(text)) return text.trim();
    const known = rendered.get(text);
    if (known !== undefined) return known;
    const end = endOfParsed(text, left);
    left -= end;
    const html = sanitizeHtml(parser.renderInline(text.slice(0, end)), allowedInline) + escaped(text.slice(end));
    rendered.set(text, html.trim());
    return html.trim();
  };
}

/**
 * A renderer for the texts of one reply: CommonMark with tables, strikethrough and tasks, and harmless raw HTML. It
 * parses the first 32,768 characters of a text, and 262,144 of all texts together. The rest is shown as plain text, in
 * time proportional to its length.
 */
export function markdownRenderer(): RenderMarkdown {
  let left = maxParsedOfReply;
  return (text, links, project) => {
    const end = endOfParsed(text, Math.min(left, maxParsedCharacters));
    left -= end;
    const options = project === undefined ? allowed : allowedIn(project);
    const html = sanitizeHtml(parser.render(text.slice(0, end), { links }), options).trimEnd();
    const rest = text.slice(end).trim();
    return rest === '' ? html : `${html}\n<pre>${escaped(rest)}</pre>`;
  };
}

/** Markdown of a project as HTML. */
export type RenderProjectMarkdown = (text: string, projectId: number) => string;

/**
 * As `markdownRenderer`, for texts of several projects, whose uploads are shown from where they lie.
 * @param links what finds the links of each, by project
 * @param externalUrl address of the installation
 */
export function projectMarkdownRenderer(
  links: ReadonlyMap<number, FindLinks>,
  externalUrl: string,
): RenderProjectMarkdown {
  const render = markdownRenderer();
  const projects = `${externalUrl.replace(/\/$/, '')}/-/project`;
  return (text, projectId) => render(text, links.get(projectId), `${projects}/${projectId}`);
}
