import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a key into a folder, and gives the variables that name it. */
export function keysIn(folder: string): Record<string, string> {
  const file = join(folder, 'some.key');
  writeFileSync(file, '17'.repeat(32));
  return { SWITCHYARD_EXPORT_SIGNING_KEY_FILE: file, SWITCHYARD_IMPORTS_EXPORTS_SECRETS_KEY_FILE: file };
}
