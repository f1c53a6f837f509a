import MarkdownIt from 'markdown-it';

/**
 * Characters of one text that are read. Crafted texts take the parser 1.7 ms per thousand, so this bounds to some 60 ms how long one
 * can hold the process up; what people write is read in a tenth of that.
 */
const readCharacters = 32_768;

// Blocks decide what is code. Of what stands inside them only code spans and escapes matter: a name inside a link or in bold is one
// all the same, and the rules for those are the ones that crafted texts make slow.
const parser = new MarkdownIt('zero', { html: true })
  .enable(['code', 'fence', 'blockquote', 'hr', 'list', 'html_block', 'heading', 'paragraph', 'backticks', 'escape'])
  .disable('text_join');

/** Blocks of HTML whose content is no prose. */
const rawHtml = /^\s*<(?:pre|code|script|style|textarea)\b/i;

/** An escaped character that would begin a name is none. */
const escaped = (character: string): string => ('@#!'.includes(character) ? '-' : character);

/** A text without what stands in HTML comments; one that is not closed reaches to the end. */
function withoutComments(text: string): string {
  let kept = '';
  let at = 0;
  for (let open = text.indexOf('<!--'); open >= 0; open = text.indexOf('<!--', at)) {
    kept += `${text.slice(at, open)} `;
    const close = text.indexOf('-->', open + 4);
    if (close < 0) return kept;
    at = close + 3;
  }
  return kept + text.slice(at);
}

/** The beginning of a text that is read: whole lines, or at least whole words, since half a name is another one. */
function readable(text: string): string {
  if (text.length <= readCharacters) return text;
  const start = text.slice(0, readCharacters);
  const lines = start.lastIndexOf('\n');
  return lines > 0 ? start.slice(0, lines) : start.replace(/\S{0,1024}$/, '');
}

/**
 * Lines of a Markdown text that are not code, with their code spans and HTML comments taken out: of the first 32,768 characters, the rest
 * is not read. Marks of lists, quotes and headings do not belong to the lines.
 */
export function* proseLines(text: string): Generator<string> {
  for (const block of parser.parse(readable(text), {})) {
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
    yield* (prose.includes('<!--') ? withoutComments(prose) : prose).split('\n');
  }
}
