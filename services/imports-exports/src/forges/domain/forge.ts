/** Kinds of forges, as the API names them. */
export type ForgeKind = 'github' | 'bitbucket' | 'bitbucket_server';

/** A repository as its forge describes it. */
export interface ForgeRepository {
  /** What the forge names it by, whatever it is called and whoever owns it; undefined where that was not kept. */
  readonly id?: string | undefined;
  /** `owner/name`, as paths of the forge's API have it. */
  readonly fullName: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** Empty for a repository without commits. */
  readonly defaultBranch: string;
  /** Address, as `git clone` takes it, without credentials. */
  readonly cloneUrl: string;
  /** The same of its wiki, which need not be there; undefined for none, and where that was not kept. */
  readonly wikiUrl?: string | undefined;
}

/** A label at a forge. */
export interface ForgeLabel {
  readonly title: string;
  /** `#rrggbb`. */
  readonly color: string;
  readonly description: string;
}

/** A milestone at a forge. */
export interface ForgeMilestone {
  readonly iid: number;
  readonly title: string;
  readonly description: string;
  readonly closed: boolean;
  /** `YYYY-MM-DD`; empty for none. */
  readonly dueDate: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * An issue at a forge. People are named by their logins, or by ids where a forge has logins that two may share; an empty
 * one is a user who is gone.
 */
export interface ForgeIssue {
  readonly iid: number;
  readonly author: string;
  readonly title: string;
  readonly description: string;
  /** Undefined for an open one. */
  readonly closedAt: Date | undefined;
  readonly labels: readonly string[];
  /** 0 for none. */
  readonly milestoneIid: number;
  /** Empty for none. */
  readonly milestoneTitle: string;
  readonly assignees: readonly string[];
  readonly locked: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment on an issue or a pull request at a forge. */
export interface ForgeNote {
  readonly foreignId: number;
  readonly on: 'issue' | 'pull';
  readonly iid: number;
  readonly author: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a user of a forge shows of themselves. */
export interface ForgeProfile {
  /** Stays when the login changes; up to 255 characters. */
  readonly id: string;
  /** What people call them, of a forge whose items name people by ids. */
  readonly login?: string;
  /** Empty for none. */
  readonly name: string;
  /** Undefined for none. */
  readonly email: string | undefined;
}

/** Somebody whom a repository of a forge lets in by name. */
export interface ForgeCollaborator {
  readonly login: string;
  readonly role: 'read' | 'triage' | 'write' | 'maintain' | 'admin';
}

/** A pull request at a forge, which becomes a merge request. */
export interface ForgePull {
  readonly iid: number;
  readonly author: string;
  readonly title: string;
  readonly description: string;
  readonly state: 'opened' | 'closed' | 'merged';
  readonly draft: boolean;
  /** In the project: that of a fork has a name that tells forks apart. */
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** Last commit of the source branch. */
  readonly headSha: string;
  /** Commit of the target branch that it was compared with. */
  readonly baseSha: string;
  /** Empty for none. */
  readonly mergeCommitSha: string;
  readonly labels: readonly string[];
  /** 0 for none. */
  readonly milestoneIid: number;
  /** Empty for none. */
  readonly milestoneTitle: string;
  readonly assignees: readonly string[];
  /** Those who are asked for a review that they have not given. */
  readonly reviewers: readonly string[];
  readonly locked: boolean;
  readonly mergedAt: Date | undefined;
  readonly closedAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment on a line, or a file, of the diff of a pull request at a forge. */
export interface ForgePullNote {
  readonly foreignId: number;
  readonly pullIid: number;
  /** Id of the comment that began the thread: its own, or that of an earlier one. */
  readonly threadId: number;
  readonly author: string;
  readonly body: string;
  readonly path: string;
  /** Commit of the source branch in whose diff it is. */
  readonly commitSha: string;
  /** From 1; 0 for the whole file. */
  readonly line: number;
  /** The line is one of the side before. */
  readonly oldSide: boolean;
  /** Lines of the diff with their hunk header, the last of which is the one; empty for none. */
  readonly hunk: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A review of a pull request at a forge. */
export interface ForgeReview {
  readonly foreignId: number;
  readonly author: string;
  /** Empty for none. */
  readonly body: string;
  readonly state: 'approved' | 'requested_changes' | 'reviewed' | 'unapproved';
  readonly submittedAt: Date;
}

/** Something that was done to an issue or a pull request at a forge. */
export interface ForgeEvent {
  /** Names it among those of its issue or pull request; up to 100 characters. */
  readonly key: string;
  /** As forgea names it: `closed`, `reopened`, `merged`, `labeled`, `renamed` …; others are left out. */
  readonly kind: string;
  readonly on: 'issue' | 'pull';
  readonly iid: number;
  readonly actor: string;
  /** Name of the label that came or went. */
  readonly label: string;
  /** Title of the milestone that came or went. */
  readonly milestone: string;
  /** Who was assigned, or asked for a review. */
  readonly person: string;
  /** The new title. */
  readonly title: string;
  readonly createdAt: Date;
}

/** The highest numbers that a forge has given; 0 for none. One that counts both together has the same for both. */
export interface HighestNumbers {
  readonly issues: number;
  readonly pulls: number;
}

/** A release at a forge. */
export interface ForgeRelease {
  readonly tag: string;
  /** Empty for none. */
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly createdAt: Date;
  readonly releasedAt: Date;
}

/** A gist at a forge, without the contents of its files. */
export interface ForgeGist {
  readonly id: string;
  /** Empty for none. */
  readonly description: string;
  readonly isPublic: boolean;
  /** Its address for people. */
  readonly webUrl: string;
  readonly fileNames: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A file of a gist. */
export interface GistFile {
  readonly name: string;
  readonly content: string;
}

/** A file that a forge keeps for its texts. */
export interface ForgeFile {
  readonly url: string;
  /** Header that goes to the host of the address alone; empty where it needs none. */
  readonly authorization: string;
}

/** Some items of a list. */
export interface ForgePage<T> {
  /** How many the forge sent. */
  readonly fetched: number;
  /** Those that can be read. */
  readonly items: readonly T[];
  readonly isLast: boolean;
  /** Where the list goes on, above where this page was, of a forge that does not number its pages one after the other. */
  readonly next?: number;
  /** What of the page cannot be had that items name, such as files. */
  readonly failed?: readonly { readonly item: string; readonly reason: string }[];
  /** Names of items that cannot be read, of a forge whose lists hold nothing else. */
  readonly unread?: readonly string[];
  /** Names of items of which the forge has more than is read. */
  readonly cut?: readonly string[];
  /** What the forge said where it hides the list from the token, though not the repository; nothing of it is known. */
  readonly hidden?: string;
  /** Pages of the list, of a forge that says how many there are. */
  readonly pages?: number;
  /** Names the next page in the forge's own words, of one that takes no high numbers of pages. */
  readonly cursor?: string;
}

/**
 * A list of a repository.
 * @param cursor of the page before; empty for the first one, and where it had none
 */
type ForgeList<T> = (repository: ForgeRepository, page: number, size: number, cursor?: string) => Promise<ForgePage<T>>;

/**
 * A list that may leave out what changed last before a date. A forge that cannot tell gives all.
 * @param since undefined: all
 */
export type ForgeListSince<T> = (
  ...of: [repository: ForgeRepository, page: number, size: number, cursor?: string, since?: Date]
) => Promise<ForgePage<T>>;

/**
 * What an import asks of a forge with a token. Every call throws `ForgeProblem` when there is no answer to it. Lists
 * begin at page 1; one that a forge does not have is empty.
 */
export interface Forge {
  /** Of lists that the token may not read: 0. */
  highestNumbers(repository: ForgeRepository): Promise<HighestNumbers>;
  /** Those whom the repository itself names, not those whom its owner lets into all repositories. */
  readonly collaborators: ForgeList<ForgeCollaborator>;
  readonly labels: ForgeList<ForgeLabel>;
  readonly milestones: ForgeList<ForgeMilestone>;
  /** Without pull requests, the oldest first. */
  readonly issues: ForgeListSince<ForgeIssue>;
  /** In all states, the oldest first; since a date in any order. */
  readonly pulls: ForgeListSince<ForgePull>;
  /** Comments on lines of all pull requests, the oldest first. */
  readonly pullNotes: ForgeListSince<ForgePullNote>;
  /** Of one pull request, in any order. @param page 1, or the `next` of the page before, where it had one */
  reviews(repository: ForgeRepository, iid: number, page: number, size: number): Promise<ForgePage<ForgeReview>>;
  /** Of all issues and pull requests. */
  readonly events: ForgeListSince<ForgeEvent>;
  readonly releases: ForgeList<ForgeRelease>;
  /** Of all issues and pull requests, the oldest first. */
  readonly issueNotes: ForgeListSince<ForgeNote>;
  /** What a user shows to everybody; undefined for one who is gone. @param login as items have it */
  profileOf(login: string): Promise<ForgeProfile | undefined>;
  /** How a file is fetched that the forge keeps for its texts; undefined for every other link. */
  fileOf(repository: ForgeRepository, link: string): ForgeFile | undefined;
  /** Refs at which it keeps the heads of pull requests, with a star for the number; empty for none. */
  readonly headsPattern: string;
  /** Header `Authorization` with which git reads a repository. */
  readonly authorization: string;
}

/** Why a forge did not give what it was asked for. */
export type ForgeProblemKind =
  /** The token is not good, or not any more. */
  | 'token'
  /** The token does not let it be read. */
  | 'forbidden'
  /** It is not there. */
  | 'not_found'
  /** It refuses it for another reason, or the answer cannot be used. */
  | 'refused'
  /** Its address, or one that it redirects to, may not be reached. */
  | 'address'
  /** It is to be asked again later. */
  | 'later';

/** A forge did not give what it was asked for. Its message is meant for users. */
export class ForgeProblem extends Error {
  /** Status of its answer, of 400 and above; undefined where another thing was wrong. */
  readonly status: number | undefined;

  constructor(
    readonly kind: ForgeProblemKind,
    message: string,
    /** Seconds after which it wants to be asked again; undefined where it did not say so. */
    readonly seconds?: number,
    options?: ErrorOptions & { readonly status?: number },
  ) {
    super(message, options);
    this.name = 'ForgeProblem';
    this.status = options?.status;
  }
}
