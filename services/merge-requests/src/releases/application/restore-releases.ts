import { type ArchivedRelease, problemsOfLinks, problemsOfRelease } from '../domain/release';
import type { ReleaseEdges } from './release.edges';

/** Adds the releases of an archive to a project; returns how many can be releases. */
export const restoreReleases =
  ({ releases }: Pick<ReleaseEdges, 'releases'>) =>
  async (projectId: number, given: readonly ArchivedRelease[]): Promise<number> => {
    const made = given.filter(
      (one) =>
        Object.keys({
          ...problemsOfRelease({ name: one.name, description: one.description }),
          ...problemsOfLinks(one.links),
        }).length === 0,
    );
    const titles = [...new Set(made.flatMap(({ milestones }) => milestones))];
    const found = await releases.milestones(projectId, { titles, ids: [] });
    // Of equal titles the nearest one comes first.
    const ids = new Map(found.toReversed().map(({ title, id }) => [title, id]));
    await releases.restore(
      made.map((one) => ({
        ...one,
        milestoneIds: [...new Set(one.milestones.flatMap((title) => ids.get(title) ?? []))],
      })),
    );
    return made.length;
  };
