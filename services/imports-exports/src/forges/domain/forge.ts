/** Kinds of forges, as the API names them. */
export type ForgeKind = 'github' | 'bitbucket' | 'bitbucket_server';

/** A repository as its forge describes it. */
export interface ForgeRepository {
  /** `owner/name`. */
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

/** Some items of a list. */
export interface ForgePage<T> {
  /** How many the forge sent. */
  readonly fetched: number;
  /** Those that can be read. */
  readonly items: readonly T[];
  readonly isLast: boolean;
}

/** What an import asks of a forge with a token. Every call throws `ForgeProblem` when there is no answer to it. */
export interface Forge {
  labels(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeLabel>>;
  milestones(repository: ForgeRepository, page: number, size: number): Promise<ForgePage<ForgeMilestone>>;
  /** Header `Authorization` with which git reads a repository. */
  readonly authorization: string;
}

/** Why a forge did not give what it was asked for. */
export type ForgeProblemKind =
  /** The token is not good, or not any more. */
  | 'token'
  /** The token does not let it be read, it is not there, or the address may not be reached. */
  | 'refused'
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
