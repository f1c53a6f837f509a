/** Aliases of the reactions that are counted. */
const aliases = new Map([
  ['+1', 'thumbsup'],
  ['-1', 'thumbsdown'],
]);

/** The name under which an emoji is kept; `+1_tone2` is the thumb of that skin. */
export function emojiName(name: string): string {
  const tone = /_tone[1-5]$/.exec(name)?.[0] ?? '';
  const base = name.slice(0, name.length - tone.length);
  return `${aliases.get(base) ?? base}${tone}`;
}

const emojiOnly = /^:([a-z0-9_+-]{1,100}): ?$/;

/**
 * Name of the emoji that is all a body says (G-4.6-8), `:+1:` with at most one blank behind it; undefined for every
 * other body.
 */
export const emojiOnlyName = (body: string): string | undefined => {
  const name = emojiOnly.exec(body)?.[1];
  return name === undefined ? undefined : emojiName(name);
};
