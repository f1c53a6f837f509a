import { isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';
import parse from 'spdx-expression-parse';

/** Whether a text is the id of a licence of SPDX, as it is spelled there. */
export const isLicenseId = (text: string): boolean => isSupportedSpdxId(text);

/** Characters of an expression, and parentheses that it opens: the parser calls itself for each, and looks at the rest of a text once for each word. */
const maxLength = 4_000;
const maxParentheses = 100;

/**
 * A word of an expression. The parser reads operators in lower case too, within other words, and passes over some signs;
 * other readers of SPDX 2.3 do not.
 */
const word = /^(?:AND|OR|WITH|(?![Aa][Nn][Dd]|[Oo][Rr]|[Ww][Ii][Tt][Hh])[A-Za-z0-9.:-]+\+?)$/;

/**
 * Whether a text is an expression of SPDX that every reader takes: known licences and exceptions, and references, joined
 * by operators in capitals. One of more than 4,000 characters or 100 parentheses counts as none.
 */
export function isLicenseExpression(text: string): boolean {
  if (text.length > maxLength || text.split('(').length - 1 > maxParentheses) return false;
  if (!text.split(/[ ()]+/).every((one) => one === '' || word.test(one))) return false;
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
