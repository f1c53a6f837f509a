import { isBlank, oneLine, shortened } from './display-text';

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

/**
 * The start of a text of another system as code within a line of Markdown; undefined where it is blank. Controls and
 * marks that turn the direction of writing become spaces.
 * @param max most characters
 */
export function literal(text: string, max: number): string | undefined {
  // Cut before anything else reads it: it may have megabytes. A character has at most two code units.
  const maxUnits = 2 * max + 2;
  const start = oneLine(text.slice(0, maxUnits).toWellFormed());
  if (isBlank(start)) return undefined;
  // What was cut may be a short line by now.
  return asCode(shortened(text.length <= maxUnits ? start : `${start}…`, max));
}

/** Characters of an address that a link leads to. */
const maxAddressLength = 1_024;

/**
 * An address of the web that can be the destination of a link in Markdown; undefined where a text is none, has a user
 * or a password, or is too long. What Markdown, a mention or a reference could be made of is percent-encoded. A
 * fragment that does not begin with a letter is left out, because `#12` is a reference.
 */
export function linkAddress(text: string): string | undefined {
  if (text.length > maxAddressLength || !URL.canParse(text)) return undefined;
  const { protocol, username, password, host, href } = new URL(text);
  if (!['http:', 'https:'].includes(protocol) || username !== '' || password !== '' || !/^[\w.:-]+$/.test(host))
    return undefined;
  const address = href
    .replace(/#(?![A-Za-z]).*$/, '')
    .replace(/[^\w.:/?=&%+,#-]/g, (character) => encodeURIComponent(character).replace(/[!'()*~]/g, percent));
  return address.length > maxAddressLength ? undefined : address;
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
