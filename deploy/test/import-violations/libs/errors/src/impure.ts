import { join } from 'node:path';

export const errorsImportNothing = join('a', 'b');
