import { displayText } from '@switchyard/texts';
import { note, type Problems, refuse } from '../../rules';
import { type KeyToAdd, type NewKey, type PublicKey, titleProblems } from '../domain/ssh-key';
import { readPublicKey } from './public-key';

/** @throws AppError invalid with all problems of title, key and expiry */
export function requireKey({ title, key, expiresAt }: KeyToAdd, now: Date): NewKey {
  const problems: Problems = {};
  const publicKey = readPublicKey(key);
  note(problems, 'title', titleProblems(title));
  if (typeof publicKey === 'string') note(problems, 'key', [publicKey]);
  if (expiresAt !== undefined && expiresAt <= now) note(problems, 'expires_at', ['must be in the future']);
  refuse(problems);
  return { title: displayText(title), publicKey: publicKey as PublicKey, expiresAt };
}
