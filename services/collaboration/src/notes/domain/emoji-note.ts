import { emojiName } from '@switchyard/texts';

const emojiOnly = /^:([a-z0-9_+-]{1,100}): ?$/;

/**
 * Name of the emoji that is all a body says (G-4.6-8), `:+1:` with at most one blank behind it; undefined for every
 * other body.
 */
export const emojiOnlyName = (body: string): string | undefined => {
  const name = emojiOnly.exec(body)?.[1];
  return name === undefined ? undefined : emojiName(name);
};
