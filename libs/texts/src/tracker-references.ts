/** A tracker of issues outside, as a project has it. */
export interface ExternalTracker {
  /** Kind of the integration, which has a pattern of its own. */
  readonly slug: string;
  /** Address of an issue, in which `:id` stands for its id. */
  readonly issuesUrl: string;
  /** `#12` names one of its issues as well: the project has none of its own. */
  readonly ownsNumbers: boolean;
}

/** A part of a text that leads to an address. */
interface TextLink {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/** Finds the links of a text, in their order and apart from each other. */
type FindLinks = (text: string) => readonly TextLink[];

/** Patterns of one kind; the group `id` is what the address has. Both match in linear time. */
interface Form {
  readonly named: RegExp;
  /** With the short form beside it; the same where there is none. */
  readonly short?: RegExp;
}

const keyed: Form = {
  named: /\b[A-Z][A-Z0-9_]*-(?<id>\d+)\b/g,
  short: /(?:\b[A-Z][A-Z0-9_]*-|(?<![\w#&/])#)(?<id>\d+)\b/g,
};
const wholeKey: Form = { named: /\b(?<id>[A-Z][A-Z0-9_]*-\d+)\b/g };

/** How each kind of tracker names its issues. */
const forms: Readonly<Record<string, Form>> = {
  bugzilla: keyed,
  'custom-issue-tracker': keyed,
  redmine: keyed,
  youtrack: {
    named: /\b(?<id>[A-Za-z][A-Za-z0-9_]*-\d+)\b/g,
    short: /\b(?<id>[A-Za-z][A-Za-z0-9_]*-\d+)\b|(?<![\w#&/])#(?<number>\d+)\b/g,
  },
  ewm: { named: /\b(?:bug|task|work item|workitem|rtcwi|defect)\s{1,10}(?<id>\d+)\b/gi },
  clickup: {
    named: /\bCU-(?<id>[a-z0-9]+)\b|\b(?<number>[A-Z0-9_]{2,10}-\d+)\b/g,
    short: /(?:\bCU-|(?<![\w#&/])#)(?<id>[a-z0-9]+)\b|\b(?<number>[A-Z0-9_]{2,10}-\d+)\b/g,
  },
  phorge: { named: /\b(?<id>T\d+)\b/g },
  jira: wholeKey,
  linear: wholeKey,
};

/** The kinds of trackers whose issues texts can name. */
export const trackerSlugs: readonly string[] = Object.keys(forms);

/** References that one text makes at the most. */
const maxLinks = 1_000;

/** Finds references to the issues of a tracker; undefined for a kind whose issues texts do not name. */
export function trackerLinks({ slug, issuesUrl, ownsNumbers }: ExternalTracker): FindLinks | undefined {
  const form = Object.hasOwn(forms, slug) ? forms[slug] : undefined;
  if (form === undefined) return undefined;
  const pattern = ownsNumbers ? (form.short ?? form.named) : form.named;
  return (text) => {
    const links: TextLink[] = [];
    for (const { 0: whole, index, groups } of text.matchAll(pattern)) {
      if (links.length === maxLinks) break;
      const id = groups?.id ?? groups?.number ?? '';
      links.push({ start: index, end: index + whole.length, url: issuesUrl.replaceAll(':id', () => id) });
    }
    return links;
  };
}
