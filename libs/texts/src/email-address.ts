/** Longest address, characters (RFC 5321). */
const longest = 254;

/** One `@` between parts without blanks, quotes, controls, characters that nobody sees, and whatever a mail header gives a meaning to. */
const form =
  /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@<>(),;:"[\]\\]+@[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}@<>(),;:"[\]\\]+$/u;

/** Whether a text can be somebody's e-mail address, and nothing besides. */
export const isEmailAddress = (text: string): boolean => text.length <= longest && form.test(text);
