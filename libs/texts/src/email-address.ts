/** Characters of an address (RFC 5321). */
const maxLength = 254;

/**
 * One `@` between two parts, without blanks, quotes, controls, invisible characters, and characters with a meaning in a
 * mail header.
 */
const form =
  /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@<>(),;:"[\]\\]+@[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@<>(),;:"[\]\\]+$/u;

/** Whether a text can be an e-mail address, with nothing around it. */
export const isEmailAddress = (text: string): boolean => text.length <= maxLength && form.test(text);
