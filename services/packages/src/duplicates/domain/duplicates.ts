import { invalid } from '@switchyard/errors';
import { type Expression, parseExpression } from '@switchyard/patterns';

/**
 * Formats in which a file can be published again, unless a group forbids it. Those of npm and PyPI never can; a Helm
 * chart moves from one channel to another that way.
 */
export const formats = ['generic', 'maven'] as const;

/** A format in which a file can be published again. */
export type DuplicatedFormat = (typeof formats)[number];

/** Whether the files of a format may be published again, where the older one stays and is served no more (G-4.17-10). */
export interface Duplicates {
  readonly allowed: boolean;
  /** Expression that the whole name or version of a package matches for which the opposite holds; empty for none. */
  readonly exceptions: string;
}

/** What holds of each format. */
export type DuplicatesOfFormats = Readonly<Record<DuplicatedFormat, Duplicates>>;

/** What a group changes. */
export interface DuplicatesChange {
  readonly format: DuplicatedFormat;
  readonly allowed?: boolean | undefined;
  readonly exceptions?: string | undefined;
}

/** What holds where no group says anything. */
export const byDefault: Duplicates = { allowed: true, exceptions: '' };

/** Whether a text names a format in which a file can be published again. */
export const isDuplicated = (format: string): format is DuplicatedFormat =>
  (formats as readonly string[]).includes(format);

/** The whole of a text has to match. The expression is read alone as well: `a)|(b` is none. */
function whole(expression: string): Expression {
  parseExpression(expression);
  return parseExpression(`^(?:${expression})$`);
}

/** Fails with `invalid` for expressions that are none. */
export function requireExpressions(changes: readonly DuplicatesChange[]): void {
  const problems = changes.flatMap(({ format, exceptions = '' }): [string, string[]][] => {
    if (exceptions === '') return [];
    try {
      whole(exceptions);
      return [];
    } catch {
      return [[`${format}_duplicate_exception_regex`, ['is not a valid regular expression']]];
    }
  });
  if (problems.length > 0) throw invalid(Object.fromEntries(problems));
}

/** A file of a package. */
export interface NamedFile {
  readonly format: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly fileName: string;
}

/** What Maven writes again with every deployment: metadata, and snapshots. */
const isRewritten = ({ format, version, fileName }: NamedFile): boolean =>
  format === 'maven' && (version === undefined || version.endsWith('-SNAPSHOT') || fileName === 'maven-metadata.xml');

/** Whether a file may be published that is there already. */
export function allows({ allowed, exceptions }: Duplicates, file: NamedFile): boolean {
  if (isRewritten(file)) return true;
  const isException = exceptions !== '' && [file.name, file.version ?? ''].some(whole(exceptions));
  return allowed !== isException;
}
