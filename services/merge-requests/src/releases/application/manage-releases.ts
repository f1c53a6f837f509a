import { AppError, conflict, forbidden, notFound, unprocessable } from '@switchyard/errors';
import type { Commit } from '../../git';
import { developer, type RepositoryActor, refusalOfTag } from '../../repositories';
import {
  milestonesOf,
  type NewLink,
  problemsOfLinks,
  problemsOfRelease,
  type ReleasePatch,
  type ReleaseView,
  refuse,
  type WantedMilestones,
} from '../domain/release';
import type { ReleaseEdges } from './release.edges';

/** A release with the commit of its tag; undefined when the tag is gone, or names no commit. */
export interface ShownRelease extends ReleaseView {
  readonly commit: Commit | undefined;
}

/** A release to make, as it is asked for. */
export interface ReleaseCommand {
  readonly tag: string;
  readonly tagMessage: string;
  readonly ref: string;
  /** Empty: the name of the tag. */
  readonly name: string;
  readonly description: string;
  readonly milestones: WantedMilestones;
  readonly links: readonly NewLink[];
  readonly releasedAt: Date | undefined;
  /** A missing tag is not found, whatever `ref` says. */
  readonly tagExists: boolean;
}

/** What is asked to change of a release. */
export interface ReleaseChangeCommand extends Pick<ReleasePatch, 'name' | 'description' | 'releasedAt'> {
  readonly milestones: WantedMilestones | undefined;
}

const none: WantedMilestones = { titles: [], ids: [] };

/**
 * Refuses who may not write releases of a tag: below Developer, and on a protected tag who could not create it.
 * @throws AppError forbidden
 */
export const requireReleaser =
  ({ protectedTags }: Pick<ReleaseEdges, 'protectedTags'>) =>
  async (projectId: number, actor: RepositoryActor, tag: string): Promise<void> => {
    if (actor.access.level < developer && !actor.access.admin) throw forbidden();
    const refusal = refusalOfTag(await protectedTags.all(projectId), tag, actor.access);
    if (refusal !== undefined) throw forbidden(refusal);
  };

/** Releases: read, make, change, delete. */
export function manageReleases(edges: ReleaseEdges) {
  const { releases, tagsByName, createTag, clock } = edges;
  const mayWrite = requireReleaser(edges);

  /** Adds the commits of the tags of releases of one project. */
  async function withCommits(projectId: number, views: readonly ReleaseView[]): Promise<ShownRelease[]> {
    if (views.length === 0) return [];
    const tags = await tagsByName(
      projectId,
      views.map(({ release }) => release.tag),
    );
    return views.map((view) => ({ ...view, commit: tags.get(view.release.tag)?.commit }));
  }

  async function shown(projectId: number, view: ReleaseView | undefined): Promise<ShownRelease> {
    const [release] = await withCommits(projectId, view === undefined ? [] : [view]);
    if (release === undefined) throw notFound();
    return release;
  }

  const find = (projectId: number, tag: string): Promise<ReleaseView | undefined> =>
    tag === '' ? releases.latest(projectId, clock()) : releases.find(projectId, tag);

  const get = async (projectId: number, tag: string): Promise<ShownRelease> =>
    shown(projectId, await find(projectId, tag));

  return {
    withCommits,

    /** One release; without a tag the one that was published last. @throws AppError not_found */
    get,

    /** Address of the link with a path, which begins with a slash; the release as for `get`. @throws AppError not_found */
    async asset(projectId: number, tag: string, path: string): Promise<string> {
      const link = (await find(projectId, tag))?.links.find((one) => one.path === path);
      if (link === undefined) throw notFound();
      return link.url;
    },

    /**
     * The tag is made before the release, so a process that dies in between leaves a tag, and the same request again
     * completes it.
     * @throws AppError forbidden; invalid, with all problems at once; conflict when the tag has a release; unprocessable
     * without tag and ref
     */
    async create(projectId: number, actor: RepositoryActor, command: ReleaseCommand): Promise<ShownRelease> {
      const { tag, description, ref, releasedAt } = command;
      await mayWrite(projectId, actor, tag);
      const name = command.name || tag;
      const found = milestonesOf(command.milestones, await releases.milestones(projectId, command.milestones));
      refuse(problemsOfRelease({ name, description, releasedAt }), problemsOfLinks(command.links), found.problems);
      if ((await releases.find(projectId, tag)) !== undefined) throw conflict('Release already exists');
      if (!(await tagsByName(projectId, [tag])).has(tag)) {
        if (command.tagExists) throw new AppError('not_found', 'Tag does not exist');
        if (ref === '') throw unprocessable('Ref is not specified');
        await createTag(projectId, actor, { name: tag, ref, message: command.tagMessage });
      }
      const now = clock();
      const added = await releases.add(
        {
          projectId,
          tag,
          name,
          description,
          authorId: actor.userId,
          releasedAt: releasedAt ?? now,
          milestoneIds: found.ids,
          links: command.links,
        },
        { actorId: actor.userId, now },
      );
      if (!added) throw conflict('Release already exists');
      return get(projectId, tag);
    },

    /** Changes a release; what is undefined stays. @throws AppError forbidden; not_found; invalid */
    async update(
      projectId: number,
      actor: RepositoryActor,
      tag: string,
      { name, description, releasedAt, milestones }: ReleaseChangeCommand,
    ): Promise<ShownRelease> {
      await mayWrite(projectId, actor, tag);
      await get(projectId, tag);
      const found = milestonesOf(milestones ?? none, await releases.milestones(projectId, milestones ?? none));
      const patch = {
        name: name === '' ? tag : name,
        description,
        releasedAt,
        milestoneIds: milestones === undefined ? undefined : found.ids,
      };
      refuse(problemsOfRelease(patch), found.problems);
      if (!(await releases.change(projectId, tag, patch, { actorId: actor.userId, now: clock() }))) throw notFound();
      return get(projectId, tag);
    },

    /** Deletes a release; the tag stays. @throws AppError forbidden; not_found; precondition_failed */
    async remove(
      projectId: number,
      actor: RepositoryActor,
      tag: string,
      unmodifiedSince: Date | undefined,
    ): Promise<ShownRelease> {
      await mayWrite(projectId, actor, tag);
      const release = await get(projectId, tag);
      const change = { actorId: actor.userId, now: clock(), unmodifiedSince };
      if (!(await releases.remove(projectId, tag, change))) throw notFound();
      return release;
    },
  };
}

/** What `manageReleases` gives. */
export type ManageReleases = ReturnType<typeof manageReleases>;
