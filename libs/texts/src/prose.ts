const fence = /^ {0,3}(`{3,}|~{3,})/;
/** A line with its code spans taken out: what stands between two equally long rows of backticks. Each row is looked at once. */
function withoutCodeSpans(line: string): string {
  const rows = [...line.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }));
  const closers = new Map<number, number[]>();
  for (const { start, length } of rows.toReversed()) {
    const known = closers.get(length);
    if (known === undefined) closers.set(length, [start]);
    else known.push(start);
  }
  let text = '';
  let done = 0;
  for (const { start, length } of rows) {
    if (start < done) continue;
    const later = closers.get(length) ?? [];
    while ((later.at(-1) ?? Number.POSITIVE_INFINITY) <= start) later.pop();
    const close = later.at(-1);
    if (close === undefined) continue;
    text += `${line.slice(done, start)} `;
    done = close + length;
  }
  return text + line.slice(done);
}

/** Lines of a Markdown text that are not code, with their code spans taken out. */
export function* proseLines(text: string): Generator<string> {
  let open: string | undefined;
  let blank = true;
  for (const line of text.split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length) open = undefined;
      continue;
    }
    if (mark !== undefined) {
      open = mark;
      continue;
    }
    // Four spaces make a code block only after a blank line; elsewhere they continue the paragraph.
    if (blank && /^(?: {4}|\t)/.test(line)) continue;
    blank = line.trim() === '';
    yield line.includes('`') ? withoutCodeSpans(line) : line;
  }
}
