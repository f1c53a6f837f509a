/** What a text of one line cannot hold, inside of brackets; `libs/texts` has the same. */
export const unshowable =
  '\\p{Cc}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb\\p{Noncharacter_Code_Point}';
