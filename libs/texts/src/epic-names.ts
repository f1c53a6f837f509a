/** An epic as a text names it. */
export interface EpicName {
  /** Full path of its group; empty: the group of the text. */
  readonly path: string;
  readonly iid: number;
}

const short = /^([A-Za-z0-9_][A-Za-z0-9_.\-/]*)?&([1-9][0-9]{0,8})$/;
const address = /^https?:\/\/[^/\s]+(?:\/[^\s]*?)?\/groups\/([A-Za-z0-9_.\-/]+)\/-\/epics\/([1-9][0-9]{0,8})\/?$/;

/** The epic that all of a text names, as `&1`, `group&1` or its address; undefined: it names none. */
export function epicNamed(text: string): EpicName | undefined {
  const found = short.exec(text) ?? address.exec(text);
  return found === null ? undefined : { path: found[1] ?? '', iid: Number(found[2]) };
}

/** Most epics that one text may name. */
const maxNames = 10;

/** The epics that a text names, between blanks or commas, and nothing else; undefined: it names none, or too many. */
export function epicsNamed(text: string): EpicName[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const epics = words.flatMap((word) => epicNamed(word) ?? []);
  return epics.length === words.length && epics.length > 0 && epics.length <= maxNames ? epics : undefined;
}
