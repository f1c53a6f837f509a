import { join } from 'node:path';

export const patternsArePure = join('a', 'b');
