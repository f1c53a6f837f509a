/** Kinds of forges, as the API names them. */
export type ForgeKind = 'github' | 'bitbucket' | 'bitbucket_server';

/** A repository as its forge describes it. */
export interface ForgeRepository {
  /** `owner/name`, as paths of the forge's API have it. */
  readonly fullName: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** Empty for a repository without commits. */
  readonly defaultBranch: string;
  /** Address, as `git clone` takes it, without credentials. */
  readonly cloneUrl: string;
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

/** An issue at a forge. People are named by their logins; an empty one is a user who is gone. */
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
  readonly assignees: readonly string[];
  readonly locked: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment on an issue at a forge. */
export interface ForgeNote {
  readonly foreignId: number;
  readonly issueIid: number;
  readonly author: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a user of a forge shows of themselves. */
export interface ForgeProfile {
  /** Stays when the login changes; up to 255 characters. */
  readonly id: string;
  /** Empty for none. */
  readonly name: string;
  /** Undefined for none. */
  readonly email: string | undefined;
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

/** Some items of a list. */
export interface ForgePage<T> {
  /** How many the forge sent. */
  readonly fetched: number;
  /** Those that can be read. */
  readonly items: readonly T[];
  readonly isLast: boolean;
  /** Where the list goes on, above where this page was, of a forge that does not number its pages one after the other. */
  readonly next?: number;
}

/**
 * What an import asks of a forge with a token. Every call throws `ForgeProblem` when there is no answer to it. Lists
 * begin at page 1; one that a forge does not have is empty.
 */
export interface Forge {
  labels(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeLabel>>;
  milestones(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeMilestone>>;
  /** Without pull requests, the oldest first. */
  issues(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeIssue>>;
  /** Of all issues, the oldest first. */
  issueNotes(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeNote>>;
  /** What a user shows to everybody; undefined for one who is gone. */
  profileOf(login: string): Promise<ForgeProfile | undefined>;
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
  constructor(
    readonly kind: ForgeProblemKind,
    message: string,
    /** Seconds after which it wants to be asked again; undefined where it did not say so. */
    readonly seconds?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ForgeProblem';
  }
}
