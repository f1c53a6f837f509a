import type { AttachedMilestone, ProjectRow, UserRow } from '@switchyard/directory';
import { invalid } from '@switchyard/errors';
import { timeProblems } from '@switchyard/texts';

/** What a project publishes of a tag; a tag has one (G §10). */
export interface Release {
  readonly id: number;
  readonly projectId: number;
  readonly tag: string;
  readonly name: string;
  /** Markdown. */
  readonly description: string | undefined;
  /** When it is published; it may lie ahead. */
  readonly releasedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a link offers. */
export type LinkType = 'other' | 'runbook' | 'image' | 'package';

/** A link of a release; name, address and path are once in it. */
export interface ReleaseLink {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Path of its permanent address, with a slash at its beginning. */
  readonly path: string | undefined;
  readonly type: LinkType;
}

/** Who changes something, and when. */
export interface Change {
  readonly actorId: number;
  readonly now: Date;
}

/** A release with what it is shown with. */
export interface ReleaseView {
  readonly release: Release;
  readonly project: ProjectRow;
  /** Undefined when nobody is left. */
  readonly author: UserRow | undefined;
  /** Those that are still there, by the day they end, then by id. */
  readonly milestones: readonly AttachedMilestone[];
  /** The newest first. */
  readonly links: readonly ReleaseLink[];
}

/** What is set of a release; what is undefined stays. */
export interface ReleasePatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly releasedAt?: Date | undefined;
  readonly milestoneIds?: readonly number[] | undefined;
}

/** A release to make. */
export interface NewRelease extends ReleasePatch {
  readonly projectId: number;
  readonly tag: string;
  readonly name: string;
  readonly authorId: number;
  readonly releasedAt: Date;
  readonly milestoneIds: readonly number[];
  readonly links: readonly NewLink[];
}

/** A release as an archive has it. */
export interface ArchivedRelease extends Omit<NewRelease, 'milestoneIds'> {
  /** Titles. */
  readonly milestones: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A link to add; undefined and empty paths are none. */
export type NewLink = Omit<ReleaseLink, 'id'>;

/** What is set of a link; what is undefined stays, an empty path is none. */
export type LinkPatch = { readonly [Field in keyof NewLink]?: NewLink[Field] | undefined };

/** Which releases a list holds. */
export interface ReleaseFilter {
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
}

/** Links and milestones of one release at the most: each is shown with it in every list. */
export const maxLinks = 100;
const maxMilestones = 100;
const maxName = 255;
const maxDescription = 1_048_576;
const maxUrl = 2_048;
const maxPath = 128;

/** Problems by the public name of the field. */
export type Problems = Record<string, string[]>;

const tooLong = (maximum: number): string => `is too long (maximum is ${maximum} characters)`;
const length = (text: string): number => [...text].length;

const isAddress = (text: string): boolean => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
const isPath = (text: string): boolean => /^\/(?:[\w-]+(?:\.[\w-]+)*\/)*[\w-]+(?:\.[\w-]+)*$/.test(text);

/** What is wrong with the texts and the time of a release; archives and imports take the same times. */
export function problemsOfRelease({ name, description, releasedAt }: ReleasePatch): Problems {
  const problems: Problems = {};
  if (name !== undefined && length(name) > maxName) problems.name = [tooLong(maxName)];
  if (description !== undefined && length(description) > maxDescription)
    problems.description = [tooLong(maxDescription)];
  const ofTime = timeProblems(releasedAt);
  if (ofTime.length > 0) problems.released_at = ofTime;
  return problems;
}

/** What is wrong with a link by itself. */
export function problemsOfLink({ name, url, path }: LinkPatch): Problems {
  const problems: Problems = {};
  if (name !== undefined && name.trim() === '') problems.name = ["can't be blank"];
  else if (name !== undefined && length(name) > maxName) problems.name = [tooLong(maxName)];
  if (url !== undefined && length(url) > maxUrl) problems.url = [tooLong(maxUrl)];
  else if (url !== undefined && !isAddress(url))
    problems.url = ['is blocked: Only allowed schemes are http, https, ftp'];
  if (path && path.length > maxPath) problems.filepath = [tooLong(maxPath)];
  else if (path && !isPath(path)) problems.filepath = ['is in an invalid format'];
  return problems;
}

const repeated = (texts: readonly string[]): boolean => new Set(texts).size < texts.length;

/** What is wrong with the links of a new release, under `links`. */
export function problemsOfLinks(links: readonly NewLink[]): Problems {
  const wrong = links.flatMap((link) =>
    Object.entries(problemsOfLink(link)).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`)),
  );
  if (links.length > maxLinks) wrong.push(`are too many (maximum is ${maxLinks})`);
  if (repeated(links.map(({ name }) => name))) wrong.push('name has already been taken');
  if (repeated(links.map(({ url }) => url))) wrong.push('url has already been taken');
  if (repeated(links.flatMap(({ path }) => path || []))) wrong.push('filepath has already been taken');
  return wrong.length === 0 ? {} : { links: [...new Set(wrong)] };
}

/** Milestones as they are asked for. */
export interface WantedMilestones {
  readonly titles: readonly string[];
  readonly ids: readonly number[];
}

/**
 * The ids of the milestones asked for, each once; of equal titles the first found counts.
 * @returns the problem where one is not among those found, or where they are too many
 */
export function milestonesOf(
  { titles, ids }: WantedMilestones,
  found: readonly { readonly id: number; readonly title: string }[],
): { readonly ids: number[]; readonly problems: Problems } {
  const missing: (string | number)[] = [];
  const take = (value: string | number, row: { readonly id: number } | undefined): number[] => {
    if (row === undefined) missing.push(value);
    return row === undefined ? [] : [row.id];
  };
  const wanted = [
    ...titles.flatMap((title) =>
      take(
        title,
        found.find((row) => row.title === title),
      ),
    ),
    ...ids.flatMap((id) =>
      take(
        id,
        found.find((row) => row.id === id),
      ),
    ),
  ];
  if (missing.length > 0)
    return {
      ids: [],
      problems: { milestones: [`Milestone(s) not found: ${missing.slice(0, maxMilestones).join(', ')}`] },
    };
  const unique = [...new Set(wanted)];
  return unique.length > maxMilestones
    ? { ids: [], problems: { milestones: [`are too many (maximum is ${maxMilestones})`] } }
    : { ids: unique, problems: {} };
}

/** @throws AppError invalid, with all problems at once */
export function refuse(...problems: readonly Problems[]): void {
  const all = Object.assign({}, ...problems) as Problems;
  if (Object.keys(all).length > 0) throw invalid(all);
}

/** Whether a release is announced and not yet published. */
export const isUpcoming = ({ releasedAt }: Release, now: Date): boolean => releasedAt.getTime() > now.getTime();

/** A release as it was in another system. */
export interface ImportedRelease {
  readonly tag: string;
  readonly name: string;
  readonly description: string;
  readonly authorId: number;
  readonly createdAt: Date;
  readonly releasedAt: Date;
}
