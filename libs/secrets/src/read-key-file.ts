import { readFileSync } from 'node:fs';

/**
 * Reads a key of 32 bytes from a file with 64 hex digits.
 * @param variable names the file in the environment, for the error
 * @throws Error with one line that names the variable and the file
 */
export function readKeyFile(variable: string, file: string): Buffer {
  const fault = (reason: string): Error => new Error(`${variable}: ${file} holds no usable key: ${reason}`);
  let written: string;
  try {
    written = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw fault((error as Error).message);
  }
  if (!/^[0-9a-f]{64}$/i.test(written)) throw fault('64 hex digits are expected');
  return Buffer.from(written, 'hex');
}
