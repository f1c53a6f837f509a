import { readFileSync } from 'node:fs';
import { following } from './following';

/** Keys of one purpose, the newest first: while the secret changes from which they are derived, two. */
export type Keys = readonly [Buffer, ...Buffer[]];

/**
 * Reads a key of 32 bytes from a file with 64 hex digits.
 * @param variable names the file in the environment, for the error
 * @throws Error with one line that names the variable and the file
 */
export function readKeyFile(variable: string, file: string): Buffer {
  const [key, ...others] = readKeys(variable, file);
  if (others.length > 0) throw fault(variable, file, 'it has more than one');
  return key;
}

/**
 * Reads keys of 32 bytes from a file with 64 hex digits a line, the newest first, and reads it again when it changes.
 * @param variable names the file in the environment, for the error
 * @throws Error with one line that names the variable and the file
 */
export const followKeyFile = (variable: string, file: string): (() => Keys) =>
  following(file, () => readKeys(variable, file));

const fault = (variable: string, file: string, reason: string): Error =>
  new Error(`${variable}: ${file} holds no usable key: ${reason}`);

function readKeys(variable: string, file: string): Keys {
  let written: string;
  try {
    written = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw fault(variable, file, (error as Error).message);
  }
  const [first = '', ...others] = written.split('\n');
  for (const line of [first, ...others]) {
    if (!/^[0-9a-f]{64}$/i.test(line)) throw fault(variable, file, '64 hex digits are expected');
  }
  const keyOf = (line: string): Buffer => Buffer.from(line, 'hex');
  return [keyOf(first), ...others.map(keyOf)];
}
