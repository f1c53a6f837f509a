import names from 'gemoji/name-to-emoji.json';
import { emojiName } from '../domain/emoji-note';

const known: ReadonlySet<string> = new Set(Object.keys(names).map(emojiName));

/** Whether there is an emoji of this name (as `emojiName` spells it). */
export const isEmoji = (name: string): boolean => known.has(name);
