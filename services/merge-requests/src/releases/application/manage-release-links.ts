import { notFound } from '@switchyard/errors';
import type { RepositoryActor } from '../../repositories';
import { type LinkPatch, type NewLink, problemsOfLink, type ReleaseLink, refuse } from '../domain/release';
import { requireReleaser } from './manage-releases';
import type { ReleaseEdges } from './release.edges';

/** Links of releases: get, add, change, delete. Who may write the release may write its links. */
export function manageReleaseLinks(edges: Pick<ReleaseEdges, 'releases' | 'protectedTags' | 'clock'>) {
  const { releases, clock } = edges;
  const mayWrite = requireReleaser(edges);
  return {
    /** @throws AppError not_found */
    async get(projectId: number, tag: string, linkId: number): Promise<ReleaseLink> {
      const link = await releases.findLink(projectId, tag, linkId);
      if (link === undefined) throw notFound();
      return link;
    },

    /** @throws AppError forbidden; not_found; invalid */
    async create(projectId: number, actor: RepositoryActor, tag: string, link: NewLink): Promise<ReleaseLink> {
      await mayWrite(projectId, actor, tag);
      refuse(problemsOfLink(link));
      return releases.addLink(projectId, tag, link);
    },

    /** @throws AppError forbidden; not_found; invalid */
    async update(
      projectId: number,
      actor: RepositoryActor,
      { tag, linkId }: { tag: string; linkId: number },
      patch: LinkPatch,
    ): Promise<ReleaseLink> {
      await mayWrite(projectId, actor, tag);
      refuse(problemsOfLink(patch));
      return releases.changeLink(projectId, tag, linkId, patch, clock());
    },

    /** @throws AppError forbidden; not_found; precondition_failed */
    async remove(
      projectId: number,
      actor: RepositoryActor,
      { tag, linkId }: { tag: string; linkId: number },
      unmodifiedSince: Date | undefined,
    ): Promise<ReleaseLink> {
      await mayWrite(projectId, actor, tag);
      return releases.removeLink(projectId, tag, linkId, unmodifiedSince);
    },
  };
}

/** What `manageReleaseLinks` gives. */
export type ManageReleaseLinks = ReturnType<typeof manageReleaseLinks>;
