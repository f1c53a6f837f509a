import { displayText } from '@switchyard/texts';

/** A person of a forge. */
export interface ForeignPerson {
  readonly projectId: number;
  readonly foreignId: string;
  readonly login: string;
  /** Empty for none. */
  readonly name: string;
}

/** A placeholder to make. */
export interface NewPlaceholder {
  readonly projectId: number;
  readonly foreignId: string;
  /** Of the username; a number follows. */
  readonly prefix: string;
  readonly name: string;
}

/** Characters of an id of a person at a forge. */
export const maxForeignId = 255;

/** Characters of a login that a username keeps: with its number it has fewer than 255. */
const maxLogin = 100;

/** The user who stands for a person. What no path may have is left out of a login. */
export function placeholderOf({ projectId, foreignId, login, name }: ForeignPerson): NewPlaceholder {
  const kept = login
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[-_]+/, '')
    .slice(0, maxLogin);
  const shown = displayText([...(name || login)].slice(0, maxLogin).join(''));
  return { projectId, foreignId, prefix: `${kept || 'someone'}_placeholder_`, name: `Placeholder ${shown}`.trim() };
}
