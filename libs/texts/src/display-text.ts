/** Characters of a display text, unless its field has another limit (G-8-5). */
const maxLength = 255;

/**
 * What a line cannot show: controls, line breaks, and marks that make a reader see another order of characters than
 * there is. Marks that only say which way a neighbour is read (U+200E, U+200F, U+061C) and joiners within words and
 * emoji stay.
 */
const unshowable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\p{Noncharacter_Code_Point}]/u;

/** Characters that leave no mark of their own. Unassigned ones that are reserved for emoji may well leave one. */
const invisible = /(?!\p{Extended_Pictographic})[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A title or name as it is stored: without white space at its ends, and in the Unicode form NFC. Texts that look alike
 * are then equal for a unique index and a filter.
 */
export const displayText = (text: string): string => text.normalize().trim();

/**
 * A text of another system as one line, for callers that cannot refuse it: each run of characters that a line cannot
 * show becomes a space.
 */
export const oneLine = (text: string): string =>
  displayText(text.replace(new RegExp(`(?:${unshowable.source})+`, 'gu'), ' '));

/** A text of at most so many characters: a longer one is cut, and ends with an ellipsis. */
export function shortened(text: string, max: number): string {
  // A character has at most two code units: no more of a text of megabytes is read.
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** A title of another system as it can be stored here: `oneLine`, cut to 255 characters. */
export const shortLine = (text: string): string => shortened(oneLine(text), maxLength);

/** Whether a text has no visible character. */
export const isBlank = (text: string): boolean => text.replace(invisible, '') === '';

/** Whether a text has a character that a line cannot show. */
export const isUnshowable = (text: string): boolean => unshowable.test(displayText(text));

/**
 * Problems of a text of one line, as it was sent; empty when its `displayText` can be stored.
 * @param max most characters
 */
export function displayTextProblems(text: string, max = maxLength): string[] {
  if (isBlank(text)) return ["can't be blank"];
  const shown = displayText(text);
  const problems = unshowable.test(shown) ? ['is invalid'] : [];
  // Counting characters is slow: only when the UTF-16 length leaves it open.
  if (shown.length > max && [...shown].length > max) problems.push(`is too long (maximum is ${max} characters)`);
  return problems;
}
