/** A licence that is recognised by its text. */
export interface KnownLicense {
  /** Id of SPDX in lower case. */
  readonly key: string;
  readonly name: string;
  /** Shorter name by which it is known; null for none. */
  readonly nickname: string | null;
  /** Where its text was published. */
  readonly sourceUrl: string;
  /** Its text, with places for names and years. */
  readonly text: string;
}

/** The file with the licence of a project. */
export interface FoundLicense {
  readonly branch: string;
  readonly path: string;
  /** Undefined for a text that is like no licence, or too long for one. */
  readonly license: KnownLicense | undefined;
}

/** A licence prepared for comparisons. */
export interface LicenseTemplate {
  readonly license: KnownLicense;
  readonly phrases: Phrases;
}

/** How often each pair of neighbouring words occurs in a text. */
interface Phrases {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

const fileNames = [
  /^(un)?licen[cs]e(\.(md|markdown|txt|rst))?$/i,
  /^copying(\.(md|markdown|txt|rst))?$/i,
  /^(un)?licen[cs]e[-_.].+$/i,
  /^copying[-_.].+$/i,
];

/**
 * The file among the names of a folder that holds the licence, in any case of letters; undefined when there is none.
 * `LICENSE` comes before `COPYING`, and both before names such as `LICENSE-MIT`.
 */
export function licenseFileOf(names: readonly string[]): string | undefined {
  return names
    .map((name) => ({ name, rank: fileNames.findIndex((pattern) => pattern.test(name)) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)[0]?.name;
}

/** Lines that differ between two copies of one licence. No match begins before its line: the time grows with the text. */
const copyright = /^[^\w\r\n\u2028\u2029]*(copyright\b|\(c\)|©|all rights reserved).*$/gim;

function phrasesOf(text: string): Phrases {
  const words =
    text
      .replace(copyright, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const counts = new Map<string, number>();
  words.slice(1).forEach((word, at) => {
    const pair = `${words[at]} ${word}`;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  });
  return { counts, total: Math.max(0, words.length - 1) };
}

/** Prepares a licence for comparisons. */
export const licenseTemplate = (license: KnownLicense): LicenseTemplate => ({
  license,
  phrases: phrasesOf(license.text),
});

/** Dice's coefficient of two texts by their phrases: 0 for nothing in common, 1 for the same. */
function likeness(a: Phrases, b: Phrases): number {
  let common = 0;
  for (const [pair, count] of a.counts) common += Math.min(count, b.counts.get(pair) ?? 0);
  return (2 * common) / Math.max(1, a.total + b.total);
}

/**
 * Least likeness of a text to its licence: a licence without its appendix stays above it, and the licences that are
 * most alike, such as BSD with two clauses and with three, are told apart by the greatest likeness.
 */
const leastLikeness = 0.9;

/** The licence that a text is most like; undefined when it is like none. */
export function matchLicense(text: string, templates: readonly LicenseTemplate[]): KnownLicense | undefined {
  const given = phrasesOf(text);
  let best: { license: KnownLicense; score: number } | undefined;
  for (const { license, phrases } of templates) {
    // Texts of very different lengths cannot be alike: most templates need no comparison.
    const most = (2 * Math.min(given.total, phrases.total)) / Math.max(1, given.total + phrases.total);
    if (most < leastLikeness || most <= (best?.score ?? 0)) continue;
    const score = likeness(given, phrases);
    if (score >= leastLikeness && score > (best?.score ?? 0)) best = { license, score };
  }
  return best?.license;
}
