import type { AppError } from '@switchyard/errors';
import type { ReceivedContent } from '../../contents';
import type { PackageKey } from './package';

/** Who publishes. */
export interface Publisher {
  /** 0 for a deploy token. */
  readonly userId: number;
  /** Level in the project, which protection rules may find too low; 60 for administrators. */
  readonly level: number;
  /** Pipeline whose job token is used; undefined for none. */
  readonly pipelineId: number | undefined;
}

/** A file that is to become part of a package. */
export interface Publication {
  readonly key: PackageKey;
  readonly fileName: string;
  readonly publisher: Publisher;
  /** Status that the package gets; undefined to leave it. */
  readonly status?: 'default' | 'hidden' | undefined;
  /** What the format keeps of the package; undefined to leave it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** What the format keeps of the file. */
  readonly fileMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Refuses a content that is not what was announced, by throwing an `AppError`; undefined to take all. */
  readonly check?: ((received: ReceivedContent) => void) | undefined;
  /** The refusal where the package is there already; undefined to add the file to it. */
  readonly refusePackage?: (() => AppError) | undefined;
  /** The refusal where the package has a file with this name; undefined to add another one, which is served from then on. */
  readonly refuseFile?: (() => AppError) | undefined;
}

/** A file that was published. */
export interface Published extends ReceivedContent {
  readonly packageId: number;
  readonly fileId: number;
  readonly createdAt: Date;
}

/** A file that was published, as it is recorded. */
export interface RecordedPublication extends Published {
  readonly publication: Publication;
  /** It is the first file: the package is new. */
  readonly created: boolean;
}

/** A package that was deleted. */
export interface DeletedPackage extends PackageKey {
  readonly id: number;
  /** User who deleted it; 0 for a deploy token. */
  readonly actorId: number;
}

/** Who deletes. */
export interface Remover {
  /** 0 for a deploy token, and for the service itself. */
  readonly userId: number;
  /** Level in the project; 60 for administrators. */
  readonly level: number;
}
