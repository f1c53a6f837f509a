/** A run of backticks longer than any in the text. */
export function fenceFor(text: string, least: number): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return '`'.repeat(Math.max(least, longest + 1));
}

/**
 * A text that is not blank as code within a line of Markdown: it mentions no one and is shown unchanged, except for its
 * line breaks.
 */
export function asCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const fence = fenceFor(line, 1);
  return line.startsWith('`') || line.endsWith('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
