import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MASK = '[MASKED]';
/** Characters of a line that are kept: of the 120 that are reported each 8 may hide 10,000. */
const LINE = 200_000;

/**
 * The environment of a command: a variable of the type `file` is a file, and its path is what the command is given. Hidden values, which
 * a user is not given, are left out.
 *
 * @param {readonly CiVariable[]} variables
 * @param {string} folder where the files go; it is made
 * @returns {Record<string, string>}
 *
 * @typedef {object} CiVariable what `GET /projects/:id/pipelines/:pipeline_id/ci_variables` returns
 * @property {string} key
 * @property {string | null} value
 * @property {'env_var' | 'file'} variable_type
 * @property {boolean} masked
 */
export function environmentOfVariables(variables, folder) {
  const given = variables.filter(({ value }) => value !== null);
  mkdirSync(folder, { mode: 0o700 });
  return Object.fromEntries(
    given.map(({ key, value, variable_type: type }) => {
      if (type !== 'file') return [key, value];
      const file = join(folder, key);
      writeFileSync(file, value, { mode: 0o600 });
      return [key, file];
    }),
  );
}

/**
 * Hides the values of masked variables in a text; of two that overlap the longer one.
 *
 * @param {readonly CiVariable[]} variables
 * @returns {(text: string) => string}
 */
export function maskOf(variables) {
  const values = variables.flatMap(({ value, masked }) => (masked && value ? value : []));
  if (values.length === 0) return (text) => text;
  const literal = (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const pattern = new RegExp(
    values
      .toSorted((one, other) => other.length - one.length)
      .map(literal)
      .join('|'),
    'g',
  );
  return (text) => text.replace(pattern, MASK);
}

/**
 * The last line with something in it that any of the streams wrote. Each stream has its own lines: a value that is written in pieces is
 * still one text when it is masked.
 *
 * @param {readonly import('node:stream').Readable[]} streams
 * @returns {() => string}
 */
export function lastLineOf(streams) {
  let last = '';
  for (const stream of streams) {
    let open = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      const lines = (open + chunk).split('\n');
      open = (lines.at(-1) ?? '').slice(0, LINE);
      last = lines.findLast((line) => line.trim() !== '')?.slice(0, LINE) ?? last;
    });
  }
  return () => last.trim();
}
