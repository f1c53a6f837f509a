import type {
  Forge,
  ForgeFile,
  ForgeIssue,
  ForgeKind,
  ForgeLabel,
  ForgeMilestone,
  ForgePull,
  ForgePullNote,
  ForgeRelease,
  ForgeRepository,
  ForgeReview,
  HighestNumbers,
} from '../../forges';
import type { AskedUser, ForeignPerson, ImportMembers, PromisedRole, StandIn, StandInTarget } from '../../placeholders';
import type { ImportLease, ReleaseReason, StageProgress } from '../domain/import-work';
import type { ForeignFile } from '../domain/linked-files';
import type {
  BegunStage,
  ImportAuthor,
  ImportFailure,
  ImportStatus,
  NewImport,
  ProjectImport,
  Refresh,
  StageName,
  StandingStage,
} from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';

/** Imports in the database. Every write may be repeated. */
export interface ImportStore {
  /** Adds an import with its stages, leased to the one who adds it. */
  add(one: NewImport, token: string, stages: readonly StageName[]): Promise<ImportLease>;
  /** Removes an import whose project could not be made. */
  remove(one: ImportLease): Promise<void>;
  /** That of a project. */
  ofProject(projectId: number): Promise<ProjectImport | undefined>;
  /** Project of an import; undefined until it is made. */
  projectOf(id: number): Promise<number | undefined>;
  /** What its stages have done. */
  stages(id: number): Promise<StandingStage[]>;
  /** What it could not bring over, at most `maxFailedItems`. */
  failures(id: number): Promise<ImportFailure[]>;
  /**
   * Takes an import that waits, or whose lease has run out, or whose status is still to be announced; undefined without
   * one. One that has not ended waits while another one of its author is worked on.
   */
  claim(): Promise<ImportLease | undefined>;
  /** Extends a lease; false when it was lost, as it is when the import is cancelled. */
  extend(one: ImportLease): Promise<boolean>;
  /** Gives an import back, to be taken again after some seconds. */
  release(one: ImportLease, seconds: number, reason: ReleaseReason): Promise<void>;
  /** Records the project; false when the lease was lost. */
  setProject(one: ImportLease, projectId: number): Promise<boolean>;
  /** The first stage that is not done, marked as begun; `late` when it began more than `hours` ago. */
  beginStage(one: ImportLease, hours: number): Promise<(BegunStage & { readonly late: boolean }) | undefined>;
  /** Records where a stage goes on, and that the import got on; `late` as of `beginStage`. Undefined when the lease was lost. */
  saveStage(
    one: ImportLease,
    name: StageName,
    progress: StageProgress,
    hours: number,
  ): Promise<{ readonly late: boolean } | undefined>;
  /** Moves it on from `scheduled`, or ends it and erases its token; false when the lease was lost. */
  setStatus(one: ImportLease, status: ImportStatus, problem?: string): Promise<boolean>;
  /** Cancels the import of a project and erases its token; undefined when it has ended. */
  cancel(projectId: number): Promise<ProjectImport | undefined>;
  /**
   * Has an import that has ended done again, of what changed since its stages began; false when it has not ended. Its
   * failures are forgotten.
   */
  refresh(found: ProjectImport, again: Refresh, token: string): Promise<boolean>;
  /** Records that groups-admin knows a status. */
  setAnnounced(id: number, status: ImportStatus): Promise<void>;
  /** Has groups-admin notified once more how an import has ended. */
  announceAgain(id: number): Promise<void>;
}

/** Files of an import that texts link to, by their links. */
export interface ImportFiles {
  /** What is known of some, and how many are known in all. */
  known(
    importId: number,
    links: readonly string[],
  ): Promise<{ readonly known: ReadonlyMap<string, ForeignFile>; readonly total: number }>;
  /** Records what became of one; it may be repeated. */
  record(importId: number, link: string, file: ForeignFile): Promise<void>;
}

/** Items of one request to an owner, and what it needs to know of them. */
export interface Brought<T> {
  readonly items: readonly T[];
  /**
   * Undefined for a first import. What was made at the forge before has come over: an owner changes what is there where
   * nobody has here, and what is not there was deleted here (ADR 73).
   */
  readonly knownBefore: Date | undefined;
}

/** What the other services do for an import. Each call may be repeated. */
export interface ImportTargets {
  /** Makes the project of an import. Fails with `not_found`, `forbidden` for the namespace; `invalid`. */
  createProject(one: NewImport, requestId: string): Promise<ImportedProject>;
  /** Fails with `not_found`. */
  project(projectId: number, requestId: string): Promise<ImportedProject>;
  /** Shows in the project how its import stands. Fails with `not_found`. */
  setStatus(projectId: number, status: ImportStatus, problem: string | undefined, requestId: string): Promise<void>;
  /** Returns what was left as it is, and what cannot be here: at most 100 refs each. Fails with `unprocessable`, `too_large`, `not_found`; `unavailable`, `rate_limited`. */
  importRepository(
    target: { readonly project: ImportedProject; readonly author: ImportAuthor },
    source: { readonly url: string; readonly authorization: string; readonly headsPattern: string },
    call: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<{ readonly kept: readonly string[]; readonly impossible: readonly string[] }>;
  /** One that the forge does not have brings nothing. Fails as `importRepository` does. */
  importWiki(
    project: ImportedProject,
    source: { readonly url: string; readonly authorization: string },
    call: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Keeps numbers for issues and pull requests that come later: what is made meanwhile gets higher ones. Fails with `not_found`. */
  reserveNumbers(
    project: ImportedProject,
    highest: HighestNumbers,
    call: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Fetches a file, which is kept once, and says where it lies. */
  importFile(
    project: ImportedProject,
    file: ForgeFile & { readonly source: string; readonly uploaderId: number },
    call: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<ForeignFile>;
  /** Lets users into the project; returns how many are its direct members now (ADR 67). */
  importMembers: ImportMembers;
  /** Returns how many the project has now. */
  importLabels(projectId: number, labels: readonly ForgeLabel[], requestId: string): Promise<number>;
  /** Returns how many the project has now. */
  importIssues(project: ImportedProject, issues: Brought<OwnedIssue>, requestId: string): Promise<number>;
  /** Returns how many the project has now. */
  importPulls(
    target: { readonly project: ImportedProject; readonly author: ImportAuthor },
    pulls: Brought<OwnedPull>,
    requestId: string,
  ): Promise<number>;
  /** The lowest number of an imported pull request from one on; undefined for none. */
  nextPull(project: ImportedProject, fromIid: number, requestId: string): Promise<number | undefined>;
  /** Sets what users decided on a pull request. */
  importReviews(
    project: ImportedProject,
    iid: number,
    reviews: readonly OwnedReview[],
    requestId: string,
  ): Promise<void>;
  /** Adds what was done to issues, or to pull requests; returns how many the project has now. */
  importEvents(
    project: ImportedProject,
    on: 'issue' | 'pull',
    events: readonly OwnedEvent[],
    requestId: string,
  ): Promise<number>;
  /** Returns how many the project has now. */
  importReleases(project: ImportedProject, releases: readonly OwnedRelease[], requestId: string): Promise<number>;
  /** Returns how many the project has now. */
  importNotes(project: ImportedProject, notes: Brought<OwnedNote>, requestId: string): Promise<number>;
  /** Returns how many the project has now. */
  importMilestones(projectId: number, milestones: readonly ForgeMilestone[], requestId: string): Promise<number>;
}

/** People of forges who are users here. */
export interface ImportPeople {
  /** Users of logins that were met before; others are left out. */
  known(importId: number, logins: readonly string[]): Promise<Map<string, number>>;
  /** Active members of a project, directly, through a group above, or through one that is invited; never bots. */
  members(project: ImportedProject): Promise<number[]>;
  /** Whether a user is active and has the role Maintainer in a project (G-4.19-9). */
  mayImport(project: ImportedProject, userId: number): Promise<boolean>;
  /** The active one of some users who has confirmed an address, and shows it where only `shown` ones count; undefined for none. */
  byEmail(email: string, among: readonly number[], counts: 'confirmed' | 'shown'): Promise<number | undefined>;
  /** Records who a login is; it may be repeated. */
  record(importId: number, login: string, userId: number): Promise<void>;
  /** Who stands for somebody for whom nothing is written (ADR 67), and the user who is asked to take the place; undefined for too many. */
  standIn(target: StandInTarget, person: ForeignPerson, asked?: AskedUser): Promise<StandIn | undefined>;
  /** Records which roles the users have who take the places of placeholders. */
  promiseRoles(importId: number, roles: readonly PromisedRole[]): Promise<void>;
  /** Those of some users who are no placeholders of an import. */
  withoutPlaceholders(importId: number, userIds: readonly number[]): Promise<Set<number>>;
  /** Usernames of those of some users who are no placeholders. */
  usernames(userIds: readonly number[]): Promise<Map<number, string>>;
  /** The user who stands for all who are gone, and for those who are too many. */
  ghost(): Promise<number>;
}

/** An issue with its people as users. */
export type OwnedIssue = Omit<ForgeIssue, 'author' | 'assignees'> & {
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
};

/** A pull request with its people as users. */
export type OwnedPull = Omit<ForgePull, 'author' | 'assignees' | 'reviewers'> & {
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
};

/** A note of an issue or a pull request, with its author as a user. */
export interface OwnedNote {
  /** Names it among the notes of the forge. */
  readonly key: string;
  readonly on: 'issue' | 'pull';
  readonly iid: number;
  readonly authorId: number;
  readonly body: string;
  /** Where it stands in the diff, and the thread to which it belongs. */
  readonly place?: Pick<ForgePullNote, 'threadId' | 'path' | 'commitSha' | 'line' | 'oldSide' | 'hunk'>;
  /** What it is about, of a note that the forge wrote. */
  readonly action?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a user decided on a pull request. */
export type OwnedReview = Pick<ForgeReview, 'state' | 'submittedAt'> & { readonly userId: number };

/** A change of the state, a label or the milestone; without a user 0. */
export interface OwnedEvent {
  readonly key: string;
  readonly iid: number;
  readonly kind: 'state' | 'label' | 'milestone';
  readonly action: string;
  readonly title: string;
  readonly userId: number;
  readonly createdAt: Date;
}

/** A release with its author as a user. */
export type OwnedRelease = Omit<ForgeRelease, 'author'> & { readonly authorId: number };

/** A forge that can be asked for a repository. */
export interface RepositoryForge extends Forge {
  /** By its id, or its path, as the kind of the forge has it. @throws ForgeProblem */
  repository(name: string): Promise<ForgeRepository>;
}

/** Where a forge is. */
export interface ForgePlace {
  readonly forge: ForgeKind;
  /** Address of the forge; empty for the hosted one. */
  readonly host: string;
}

/** Forges by where they are. */
export interface Forges {
  /** What is wrong with the address of a forge; undefined for nothing. */
  problemOf(place: ForgePlace): string | undefined;
  /**
   * @param token of forgea; of the others the user, a colon, and the password or token
   * @param signal ends every request
   */
  open(place: ForgePlace, token: string, signal?: AbortSignal): RepositoryForge;
}

/** What a stage works with. */
export interface StageContext {
  readonly import: ProjectImport;
  readonly project: ImportedProject;
  readonly forge: Forge;
  readonly targets: ImportTargets;
  readonly people: ImportPeople;
  /** What was done at the forge before has come over; undefined where that is not known. */
  readonly since: Date | undefined;
  /** Names of what has come over before, of a list that cannot say what changed since. */
  readonly known: readonly string[];
  /** Aborted when the import is cancelled, or its process stops. */
  readonly signal: AbortSignal;
}
