import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Expectation } from './expectation';

const files = readdirSync(join(__dirname, 'rows'));

/** Every operation there is, by service. A route without a row here fails the test, and so does a row without a route. */
export const expectations: readonly Expectation[] = files.flatMap(
  (file) => (require(`./rows/${file}`) as { readonly rows: readonly Expectation[] }).rows,
);
