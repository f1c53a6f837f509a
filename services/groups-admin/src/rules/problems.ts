import { invalid } from '@switchyard/errors';

/** Texts by field, gathered so that all are reported at once (G-7-3). */
export type Problems = Record<string, string[]>;

/** Adds texts to a field; nothing when there are none. */
export function note(problems: Problems, field: string, texts: readonly string[]): void {
  if (texts.length > 0) problems[field] = [...(problems[field] ?? []), ...texts];
}

/** Throws `invalid` with every problem; nothing when there are none. */
export function refuse(problems: Problems): void {
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** The text that a taken name or path gets. */
export const taken = 'has already been taken';

/** Texts longer than this are refused (G-8-6). */
export const maxDescription = 1_048_576;

/** What is wrong with a text that may be at most `maximum` characters long. */
export const lengthProblems = (text: string | undefined, maximum: number): string[] =>
  text !== undefined && text.length > maximum && [...text].length > maximum
    ? [`is too long (maximum is ${maximum} characters)`]
    : [];
