/** Whether a line ends a block without prose. */
type BlockEnd = (line: string) => boolean;

const marks = /^(?: {0,3}(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)) ?)*/;
const marked = /^ {0,3}[>\-*+\d]/;
const item = /^[\s>]*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const rawHtml = /^ {0,3}<(pre|code|script|style|textarea)\b/i;
const comment = /^ {0,3}<!--/;
const indented = /^(?: {4}| {0,3}\t)/;

/** Recognises the end of the block without prose that a line begins; undefined when it begins none. */
function blockEnd(line: string): BlockEnd | undefined {
  // Most lines have none of the characters that matter.
  if (!/[`~<]/.test(line)) return undefined;
  const mark = fence.exec(line)?.[1];
  if (mark !== undefined) {
    return (other) => {
      const closing = other.trim();
      return closing.length >= mark.length && closing === (mark[0] ?? '').repeat(closing.length);
    };
  }
  const tag = rawHtml.exec(line)?.[1]?.toLowerCase();
  if (tag !== undefined) return (other) => other.toLowerCase().includes(`</${tag}>`);
  return comment.test(line) && !line.includes('-->') ? (other) => other.includes('-->') : undefined;
}

/** A paragraph without its code spans; one pass, however many backticks it holds. */
function withoutCodeSpans(text: string): string {
  if (!text.includes('`')) return text;
  const runs = [...text.matchAll(/`+/g)].map(({ index, 0: run }) => ({ start: index, length: run.length }));
  // For each run the next one of its length.
  const next: (number | undefined)[] = [];
  const latest = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    next[at] = latest.get(length);
    latest.set(length, at);
  }
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const open = runs[at];
    const closing = next[at];
    const close = closing === undefined ? undefined : runs[closing];
    if (open === undefined || closing === undefined || close === undefined || text[open.start - 1] === '\\') continue;
    kept.push(text.slice(from, open.start), ' ');
    from = close.start + close.length;
    at = closing;
  }
  kept.push(text.slice(from));
  return kept.join('');
}

/**
 * Paragraphs of a text from an index on, without code spans, for texts that are too long for the Markdown parser. One
 * pass, line by line. It knows fences, indented code, raw HTML, comments and code spans, and takes nested blocks by
 * their marks.
 * @param start index; the text before it is read only for blocks that reach beyond it
 */
export function* longProse(text: string, start: number): Generator<string> {
  let ends: BlockEnd | undefined;
  let afterBlank = true;
  let inList = false;
  let paragraph: string[] = [];
  let at = 0;
  const flush = (): string[] => {
    const prose = withoutCodeSpans(paragraph.join('\n'));
    paragraph = [];
    return prose === '' ? [] : [prose.replace(/\\[@#!]/g, '-')];
  };
  while (at <= text.length) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    const whole = text.slice(at, stop);
    const line = marked.test(whole) ? whole.replace(marks, '') : whole;
    if (ends !== undefined) {
      if (ends(line)) ends = undefined;
      afterBlank = true;
    } else if (line.trim() === '') {
      yield* flush();
      afterBlank = true;
    } else if (afterBlank && !inList && indented.test(whole)) {
      yield* flush();
    } else {
      const opened = blockEnd(line);
      if (opened !== undefined) {
        yield* flush();
        // Raw HTML may end where it begins; a fence never does.
        ends = rawHtml.test(line) && opened(line) ? undefined : opened;
        // The rest of a cut line is not at the start of a line.
      } else if (stop > start) paragraph.push(at < start ? `… ${whole.slice(start - at)}` : line);
      inList = item.test(whole) || (inList && /^\s/.test(whole));
      afterBlank = false;
    }
    if (end < 0) break;
    at = end + 1;
  }
  yield* flush();
}
