import { invalid } from '@switchyard/errors';

/** How close an environment is to users. */
export type EnvironmentTier = 'production' | 'staging' | 'testing' | 'development' | 'other';

/** What deployments run on (G §10). */
export interface Environment {
  readonly id: number;
  readonly projectId: number;
  /** Once in a project; it stays. */
  readonly name: string;
  /** The name as a part of an address, once in a project. */
  readonly slug: string;
  readonly description: string | undefined;
  readonly externalUrl: string | undefined;
  readonly tier: EnvironmentTier;
  readonly state: 'available' | 'stopped';
  /** When it is stopped by itself. */
  readonly autoStopAt: Date | undefined;
  /** The deployment that succeeded last. */
  readonly lastDeploymentId: number | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What is set of an environment; what is undefined stays, null is none. */
export interface EnvironmentPatch {
  readonly description?: string | null | undefined;
  readonly externalUrl?: string | null | undefined;
  readonly tier?: EnvironmentTier | undefined;
  readonly autoStopAt?: Date | null | undefined;
}

/** An environment to make. */
export interface NewEnvironment extends EnvironmentPatch {
  readonly projectId: number;
  readonly name: string;
}

/** What a list of environments is narrowed by. */
export interface EnvironmentFilter {
  readonly name?: string;
  readonly search?: string;
  readonly state?: string;
}

const maxName = 255;
const maxUrl = 255;
const maxDescription = 10_000;
/** Characters of a slug: what a label of Kubernetes takes with a prefix of its own. */
const maxSlug = 24;
/** Characters of the digest at the end of a slug. */
const digestLength = 6;

const tooLong = (maximum: number): string => `is too long (maximum is ${maximum} characters)`;

/** Why a text cannot be the name of an environment; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return "can't be blank";
  if (name.length > maxName) return tooLong(maxName);
  return /^[\w/${}. -]+$/.test(name) && !name.startsWith('/') && !name.endsWith('/')
    ? undefined
    : "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
}

/** What is wrong with fields of an environment. */
export function environmentProblems({
  name,
  description,
  externalUrl,
}: EnvironmentPatch & { readonly name?: string | undefined }): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const wrong = name === undefined ? undefined : nameProblem(name);
  if (wrong !== undefined) problems.name = [wrong];
  if ([...(description ?? '')].length > maxDescription) problems.description = [tooLong(maxDescription)];
  if ((externalUrl ?? '').length > maxUrl) problems.external_url = [tooLong(maxUrl)];
  else if (externalUrl && !isWebAddress(externalUrl)) problems.external_url = ['is not a valid URL'];
  return problems;
}

/** @throws AppError invalid, with all problems at once */
export function checkEnvironment(given: EnvironmentPatch & { readonly name?: string | undefined }): void {
  const problems = environmentProblems(given);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);

/** The words of names that tell a tier, the first that fits counts. */
const tiers: readonly (readonly [EnvironmentTier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acce?pt|qa|qc|control|quality/i],
  ['staging', /sta?g|model|pre|demo|non/i],
  ['production', /pro?d|live/i],
];

/** The tier that a name tells. */
export const tierOf = (name: string): EnvironmentTier => tiers.find(([, words]) => words.test(name))?.[0] ?? 'other';

/**
 * A name as a part of an address: at most 24 lower-case letters, digits and single dashes, a letter first and no dash
 * last. Where that loses something, a digest of the name stands at the end, so that names that differ stay apart.
 * @param digestOf gives hexadecimal digits
 */
export function slugOf(name: string, digestOf: (text: string) => string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const lettered = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replace(/-+/g, '-');
  if (lettered === name && lettered.length <= maxSlug && !lettered.endsWith('-')) return lettered;
  const digest = BigInt(`0x${digestOf(name)}`)
    .toString(36)
    .slice(-digestLength);
  return `${lettered.slice(0, maxSlug - digestLength - 1).replace(/-$/, '')}-${digest}`;
}

/** Days an environment stands unchanged before it may be called stale, and years at the most. */
const [leastStaleDays, mostStaleYears] = [7, 10];
const day = 86_400_000;

/** Whether environments that were last used before `date` may be stopped together. */
export const mayBeStale = (date: Date, now: Date): boolean =>
  date.getTime() <= now.getTime() - leastStaleDays * day &&
  date.getTime() >= now.getTime() - mostStaleYears * 365.25 * day;

/** Age of the review apps that are deleted where no date is given. */
export const thirtyDaysBefore = (now: Date): Date => new Date(now.getTime() - 30 * day);
/** When an environment is deleted that is scheduled for it now: time to think again. */
export const weekAfter = (now: Date): Date => new Date(now.getTime() + 7 * day);
