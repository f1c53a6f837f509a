const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 't', 'yes', 'on', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'f', 'no', 'off', 'n'].map((word) => [word, false] as const),
]);

/** A boolean as forms and addresses spell it, in letters of any case (G-1-5); undefined for another text. */
export const parseBoolean = (text: string): boolean | undefined => booleans.get(text.toLowerCase());
