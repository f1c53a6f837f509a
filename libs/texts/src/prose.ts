import MarkdownIt from 'markdown-it';
import { longProse } from './long-prose';

/**
 * Characters of one text that the parser reads. It needs up to 4 ms per thousand characters of a crafted text, so this
 * limits the time to about 100 ms; ordinary texts need a tenth of that. In the rest, code is recognised line by line.
 */
const maxParsedCharacters = 32_768;

/** Characters of a word that is not cut in two. */
const maxWordLength = 1_024;

// Blocks decide what is code. Inside them only code spans and escapes matter: a name in a link or in bold is still a
// name, and the rules for links and emphasis are the slow ones for crafted texts.
const parser = new MarkdownIt('zero', { html: true })
  .enable(['code', 'fence', 'blockquote', 'hr', 'list', 'html_block', 'heading', 'paragraph', 'backticks', 'escape'])
  .disable('text_join');

/** Blocks of HTML whose content is no prose. */
const rawHtml = /^\s*<(?:pre|code|script|style|textarea)\b/i;

/** An escaped character does not begin a name. */
const escaped = (character: string): string => ('@#!'.includes(character) ? '-' : character);

/** HTML inside a line whose content is no prose, and where it ends. */
const inlineHtml = /<!--|<(code|pre)\b[^<>]{0,200}>/gi;

/** A tag with its attributes, whose values are no prose. */
const tag = /<\/?[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>/gi;

/**
 * A text without the contents of HTML comments, one that is not closed reaching to the end, and in HTML code that is
 * closed.
 */
function withoutHtmlCode(text: string): string {
  let kept = '';
  let at = 0;
  const unclosed = new Set<string>();
  for (const { 0: opening, 1: tag = '', index } of text.matchAll(inlineHtml)) {
    const name = tag.toLowerCase();
    if (index < at || unclosed.has(name)) continue;
    const closing = new RegExp(name === '' ? '-->' : `</${name}>`, 'gi');
    closing.lastIndex = index + opening.length;
    const close = closing.exec(text);
    if (close === null && name !== '') {
      unclosed.add(name);
      continue;
    }
    kept += `${text.slice(at, index)} `;
    if (close === null) return kept;
    at = closing.lastIndex;
  }
  return kept + text.slice(at);
}

const isBlank = (character: string): boolean => character === '' || /\s/.test(character);
const isPunctuation = (character: string): boolean => /[\p{P}\p{S}]/u.test(character);

/**
 * A text whose underscores that emphasise are stars, by CommonMark's rules for runs of them. An underscore may belong
 * to a name, a star does not. Names and addresses with one at their beginning are no emphasis.
 */
function withStars(text: string): string {
  if (!text.includes('_')) return text;
  const open: { at: number; length: number }[] = [];
  const starred: { at: number; length: number }[] = [];
  for (const { 0: run, index } of text.matchAll(/_+/g)) {
    const before = text[index - 1] ?? '';
    const after = text[index + run.length] ?? '';
    const left = !isBlank(after) && (!isPunctuation(after) || isBlank(before) || isPunctuation(before));
    const right = !isBlank(before) && (!isPunctuation(before) || isBlank(after) || isPunctuation(after));
    let { length } = run;
    let at = index;
    if (right && (!left || isPunctuation(after))) {
      for (let opening = open.at(-1); opening !== undefined && length > 0; opening = open.at(-1)) {
        const both = Math.min(opening.length, length);
        opening.length -= both;
        starred.push({ at: opening.at + opening.length, length: both }, { at, length: both });
        at += both;
        length -= both;
        if (opening.length === 0) open.pop();
      }
    }
    if (length > 0 && left && (!right || isPunctuation(before)) && !'@/'.includes(before || ' '))
      open.push({ at, length });
  }
  if (starred.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { at, length } of starred.sort((a, b) => a.at - b.at)) {
    parts.push(text.slice(from, at), '*'.repeat(length));
    from = at + length;
  }
  return parts.join('') + text.slice(from);
}

/** The lines of a paragraph in which names are searched. */
function linesOf(paragraph: string): string[] {
  const text = paragraph.includes('<') ? withoutHtmlCode(paragraph).replace(tag, ' ') : paragraph;
  return withStars(text).split('\n');
}

/** The start of a text that is parsed: whole lines, or at least whole words, since half a name is another name. */
function parseable(text: string): string {
  if (text.length <= maxParsedCharacters) return text;
  const start = text.slice(0, maxParsedCharacters);
  const lines = start.lastIndexOf('\n');
  if (lines > 0) return start.slice(0, lines);
  let end = start.length;
  while (end > maxParsedCharacters - maxWordLength && /\S/.test(start[end - 1] ?? ' ')) end -= 1;
  return start.slice(0, end);
}

/**
 * Lines of a Markdown text that are not code, with their code spans, HTML comments, HTML code and tags taken out, and
 * emphasis by stars alone. Marks of lists, quotes and headings are removed. A caller that stops early saves the rest of
 * the work.
 */
export function* proseLines(text: string): Generator<string> {
  const start = parseable(text);
  for (const block of parser.parse(start, {})) {
    let prose: string;
    if (block.type === 'inline') {
      prose = (block.children ?? [])
        .map(({ type, content }) =>
          type === 'code_inline' ? ' ' : type === 'text_special' ? escaped(content) : content,
        )
        .join('');
    } else if (block.type === 'html_block' && !rawHtml.test(block.content)) {
      prose = block.content;
    } else continue;
    yield* linesOf(prose);
  }
  if (start.length < text.length) {
    for (const prose of longProse(text, start.length)) yield* linesOf(prose);
  }
}
