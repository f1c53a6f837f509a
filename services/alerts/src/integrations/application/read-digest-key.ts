import { readFileSync } from 'node:fs';

/**
 * Reads the key of the digests of integration keys.
 * @throws Error with one line that names the variable and the file
 */
export function readDigestKey(file: string): Buffer {
  const fault = (reason: string): Error =>
    new Error(`SWITCHYARD_ALERT_DIGEST_KEY_FILE: ${file} holds no usable key: ${reason}`);
  let written: string;
  try {
    written = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw fault((error as Error).message);
  }
  if (!/^[0-9a-f]{64}$/i.test(written)) throw fault('64 hex digits are expected');
  return Buffer.from(written, 'hex');
}
