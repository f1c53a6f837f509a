import type { PageInfo, PageRequest } from '@switchyard/database';
import type { TrackerLinks } from '@switchyard/directory';
import type { RepositoryAccess, RepositoryActor, TagsByName } from '../../repositories';
import type {
  ArchivedRelease,
  Change,
  LinkPatch,
  NewLink,
  NewRelease,
  ReleaseFilter,
  ReleaseLink,
  ReleasePatch,
  ReleaseView,
  WantedMilestones,
} from '../domain/release';

/** Releases as they are kept. Changes are published in the same transaction. */
export interface ReleaseStore {
  list(
    projectId: number,
    filter: ReleaseFilter,
    request: PageRequest,
  ): Promise<{ rows: ReleaseView[]; page: PageInfo }>;
  find(projectId: number, tag: string): Promise<ReleaseView | undefined>;
  /** The release that was published last; those that lie ahead do not count. */
  latest(projectId: number, now: Date): Promise<ReleaseView | undefined>;
  /** The milestones of the project and the groups above it that are meant; others are left out. */
  milestones(projectId: number, wanted: WantedMilestones): Promise<{ id: number; title: string }[]>;
  /** Adds releases as an archive has them, without events; those of tags that have one stay away. */
  restore(given: readonly (ArchivedRelease & Pick<NewRelease, 'milestoneIds'>)[]): Promise<void>;
  /** False when the tag has one. */
  add(release: NewRelease, change: Change): Promise<boolean>;
  /** False when there is none. */
  change(projectId: number, tag: string, patch: ReleasePatch, change: Change): Promise<boolean>;
  /**
   * Removes one with its links; false when there is none.
   * @throws AppError precondition_failed when it changed after `unmodifiedSince`
   */
  remove(
    projectId: number,
    tag: string,
    change: Change & { readonly unmodifiedSince?: Date | undefined },
  ): Promise<boolean>;
  /** Undefined when there is no such release. */
  listLinks(
    projectId: number,
    tag: string,
    request: PageRequest,
  ): Promise<{ rows: ReleaseLink[]; page: PageInfo } | undefined>;
  findLink(projectId: number, tag: string, linkId: number): Promise<ReleaseLink | undefined>;
  /** @throws AppError not_found; invalid for what another link has, and for too many */
  addLink(projectId: number, tag: string, link: NewLink): Promise<ReleaseLink>;
  /** @throws AppError not_found; invalid for what another link has */
  changeLink(projectId: number, tag: string, linkId: number, patch: LinkPatch, now: Date): Promise<ReleaseLink>;
  /** @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince` */
  removeLink(projectId: number, tag: string, linkId: number, unmodifiedSince: Date | undefined): Promise<ReleaseLink>;
}

/** What the use cases of releases work with. */
export interface ReleaseEdges extends Pick<RepositoryAccess, 'protectedTags'> {
  readonly releases: ReleaseStore;
  /** Tags by their names, with their commits: a constant number of git processes. */
  readonly tagsByName: TagsByName;
  /** Makes a light or annotated tag; refusals are those of the tags' own endpoint. */
  readonly createTag: (
    projectId: number,
    actor: RepositoryActor,
    tag: { name: string; ref: string; message: string },
  ) => Promise<unknown>;
  readonly trackerLinks: TrackerLinks;
  readonly externalUrl: string;
  readonly clock: () => Date;
}
