import { type AppError, unprocessable } from '@switchyard/errors';
import type { ForgeKind, ForgeRepository } from '../../forges';

/** How an import stands (G-3-4); the last three end it. */
export type ImportStatus = 'scheduled' | 'started' | 'finished' | 'failed' | 'canceled';

/** Who began an import, as they were then. */
export interface ImportAuthor {
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
}

/** An import that is asked for. */
export interface NewImport {
  /** Names it to the other services: a UUID. */
  readonly key: string;
  readonly author: ImportAuthor;
  /** Id of the public request that began it. */
  readonly requestId: string;
  readonly forge: ForgeKind;
  /** Address of the forge; empty for the hosted one. */
  readonly host: string;
  readonly repository: ForgeRepository;
  readonly namespace: string;
  /** Name and path of the project. */
  readonly name: string;
  /** Items of a page. */
  readonly pageSize: number;
  /** Goes on without a stage that takes too long. */
  readonly optimistic: boolean;
  /** Files come over that texts link to. */
  readonly files: boolean;
}

/** An import that is done again: what of it is new. */
export type Refresh = Pick<NewImport, 'author' | 'requestId' | 'repository'>;

/** An import. */
export interface ProjectImport extends NewImport {
  readonly id: number;
  /** Undefined until it is made. */
  readonly projectId: number | undefined;
  readonly status: ImportStatus;
  /** Why it failed. */
  readonly problem: string | undefined;
  /** How often it was done again. */
  readonly refreshes: number;
}

/** Stages of an import, in this order. */
export const stageNames = [
  'repository',
  'collaborators',
  'labels',
  'milestones',
  'issues',
  'pull_requests',
  'issue_notes',
  'diff_notes',
  'pull_request_reviews',
  'issue_events',
  'releases',
] as const;

/** One of `stageNames`. */
export type StageName = (typeof stageNames)[number];

/** Stages of an import that are left out unless they are asked for. */
const optionalStages: readonly StageName[] = ['collaborators'];

/** Stages of an import, in their order. @param wanted those of the optional ones that are asked for */
export const stagesWith = (wanted: readonly StageName[]): StageName[] =>
  stageNames.filter((name) => !optionalStages.includes(name) || wanted.includes(name));

/** A stage of an import, and where it goes on. */
export interface ImportStage {
  readonly name: StageName;
  /** The page that is read next, from 1; where a list goes by numbers, the lowest that the next item may have. */
  readonly page: number;
  /** Names the page in the forge's own words; empty where its number does. */
  readonly cursor: string;
  /** Items that the forge sent. */
  readonly fetched: number;
  /** Items that the project has. */
  readonly imported: number;
}

/** A stage that goes on, with what is known of earlier imports into the project. */
export interface BegunStage extends ImportStage {
  /** Names of what has come over, of a list that cannot say what changed since. */
  readonly known: readonly string[];
  /** What was done at the forge before has come over; undefined where that is not known. */
  readonly since: Date | undefined;
}

/** Names of a list that are kept: later ones are sent to their owner again, who has them. */
export const maxKnown = 10_000;

/** An item that could not be brought over. */
export interface FailedItem {
  /** What it is called at the forge, or in the archive: up to 255 characters are kept. */
  readonly item: string;
  readonly reason: string;
}

/** Such an item, as it is kept. */
export interface ImportFailure extends FailedItem {
  readonly id: number;
  /** Name of its stage; of an archive the kind of its records. */
  readonly stage: string;
  readonly createdAt: Date;
}

/** Files of one import: what further texts link to stays at the forge. */
export const maxFiles = 10_000;

/** Failures that an import keeps: the first ones. */
export const maxFailedItems = 100;

/** A stage as it stands. */
export interface StandingStage extends Omit<ImportStage, 'cursor'> {
  readonly status: 'scheduled' | 'started' | 'finished';
  /** Pages of the forge's list; undefined where it does not say how many. */
  readonly pages: number | undefined;
  /** Seconds since it began; 0 before. */
  readonly seconds: number;
}

/** An import that has not ended, as an operator sees it. */
export interface RunningImport extends Pick<ProjectImport, 'projectId' | 'forge' | 'status'> {
  /** What the forge calls the repository. */
  readonly source: string;
  readonly stages: readonly StandingStage[];
}

/**
 * Seconds that the stage under way still takes, as fast as it was so far, its pauses included; undefined before its first
 * page, and where the forge does not say how many there are.
 */
export function secondsLeft(stages: readonly StandingStage[]): number | undefined {
  const under = stages.find(({ status }) => status === 'started');
  if (under?.pages === undefined || under.page < 2) return undefined;
  const read = under.page - 1;
  return Math.ceil((under.seconds / read) * Math.max(0, under.pages - read));
}

/** Names of items in `stats`; stages without one have no items. */
export const itemNames: Partial<Record<StageName, string>> = {
  collaborators: 'collaborator',
  labels: 'label',
  milestones: 'milestone',
  issues: 'issue',
  pull_requests: 'pull_request',
  issue_notes: 'note',
  diff_notes: 'diff_note',
  pull_request_reviews: 'pull_request_review',
  issue_events: 'issue_event',
  releases: 'release',
};

/** Whether an import has ended. */
export const hasEnded = (status: string): boolean => ['finished', 'failed', 'canceled'].includes(status);

/** Pages of one stage: a forge whose list is longer goes round in a circle. */
export const maxPages = 100_000;

/** How an import ends whose author has lost the right to import (G-4.19-9). */
export const mayNotImport = (): AppError => unprocessable('Who imports may not import into this project any more');

/** Whether a project can be given this name: letters and digits, with single special characters between (G-4.19-8). */
export const isProjectName = (name: string): boolean =>
  name.length <= 255 && /^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$/.test(name);

/** Hours that a stage may take, the pauses of its forge included. */
export const stageHours = 24;

/** Failures in a row, none of them a pause of the forge or a stop, after which an import fails. */
export const maxFailures = 10;

/**
 * Tries in a row that did not get on, after which an import is not worked on any more. Failures end it before: these
 * are tries whose process died.
 */
export const maxTries = 2 * maxFailures;

/** Longest pause in seconds, whatever a forge asks for: the limits of forges are those of an hour. */
export const maxPause = 3_600;
