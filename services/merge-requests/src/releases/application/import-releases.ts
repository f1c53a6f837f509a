import { isShowableTime, shortLine } from '@switchyard/texts';
import { type ImportedRelease, problemsOfRelease } from '../domain/release';
import type { ReleaseEdges } from './release.edges';

/** Releases in the database. */
export interface ReleaseImportStore {
  /** Adds releases of tags that have none; returns how many of the tags have one now. */
  bringIn(projectId: number, releases: readonly ImportedRelease[]): Promise<number>;
}

/** Releases that come in from elsewhere; see ReleaseImportService. */
export const importReleases =
  ({ tagsByName, releases }: Pick<ReleaseEdges, 'tagsByName'> & { readonly releases: ReleaseImportStore }) =>
  async (projectId: number, given: readonly ImportedRelease[]): Promise<number> => {
    const tags = await tagsByName(
      projectId,
      given.map(({ tag }) => tag),
    );
    const wanted = given
      .map((one) => ({ ...one, name: shortLine(one.name) || shortLine(one.tag) }))
      .filter(
        (one) =>
          tags.has(one.tag) &&
          one.authorId > 0 &&
          [one.createdAt, one.releasedAt].every(isShowableTime) &&
          Object.keys(problemsOfRelease(one)).length === 0,
      );
    return wanted.length === 0 ? 0 : releases.bringIn(projectId, wanted);
  };
