import { invalid } from '@switchyard/errors';
import { displayText, displayTextProblems } from '@switchyard/texts';
import { note, type Problems, refuse } from '../../rules';

/** The public half of an SSH key. */
export interface PublicKey {
  /** Type and key material, as OpenSSH writes them, without options and comment. */
  readonly text: string;
  /** 16 bytes in hexadecimal, joined by colons. */
  readonly md5: string;
  /** Base64 without padding. */
  readonly sha256: string;
}

/** What a key can be used for (G-2-30). */
export type UsageType = 'auth' | 'signing' | 'auth_and_signing';

/** A key to add, as it is sent. */
export interface KeyToAdd {
  readonly title: string;
  readonly key: string;
  readonly expiresAt: Date | undefined;
}

/** A key that may be stored. */
export interface NewKey {
  readonly title: string;
  readonly publicKey: PublicKey;
  readonly expiresAt: Date | undefined;
}

/** What is wrong with a title. */
export const titleProblems = (title: string): string[] => displayTextProblems(title, 255);

/** The title as it is stored. @throws AppError invalid */
export function requireTitle(title: string): string {
  const problems: Problems = {};
  note(problems, 'title', titleProblems(title));
  refuse(problems);
  return displayText(title);
}

/** The refusal of a key that some account or project has already (G-4.10-4). */
export const keyTaken = () => invalid({ fingerprint_sha256: ['has already been taken'] });
