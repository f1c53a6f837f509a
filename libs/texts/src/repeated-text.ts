/** Characters of a description that its event repeats: an event has to fit on the bus. */
const repeatedLength = 10_000;

/** The beginning of a description, as its event repeats it: at most 10,000 characters. */
export const repeatedText = (text: string): string => text.slice(0, repeatedLength).toWellFormed();
