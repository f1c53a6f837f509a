import names from 'gemoji/name-to-emoji.json';

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

const tones = [1, 2, 3, 4, 5];

/** `flag_de`, by the letters that a flag is written with; nothing for what is no flag of a place. */
function flagNames(emoji: string): string[] {
  if (!/^[\u{1f1e6}-\u{1f1ff}]{2}$/u.test(emoji)) return [];
  const letters = [...emoji].map((letter) => String.fromCharCode((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 0x61));
  return [`flag_${letters.join('')}`];
}

/** `wave_tone1` to `wave_tone5`, where Unicode lets the skin have a tone. */
const toneNames = (name: string, emoji: string): string[] =>
  /\p{Emoji_Modifier_Base}/u.test(emoji) ? tones.map((tone) => `${name}_tone${tone}`) : [];

// The library names flags by country or letters, and knows of tones nothing; clients of the field send these names too.
const known: ReadonlySet<string> = new Set(
  Object.entries(names).flatMap(([name, emoji]) =>
    [name, ...flagNames(emoji), ...toneNames(name, emoji)].map(emojiName),
  ),
);

/** Whether there is an emoji of this name (as `emojiName` spells it). */
export const isEmoji = (name: string): boolean => known.has(name);
