import { notFound } from '@switchyard/errors';
import { projectMarkdownRenderer } from '@switchyard/markdown';
import {
  type NewReleaseLink,
  type ReleaseMilestones,
  ReleaseServiceService,
} from '@switchyard/protos/merge_requests/v1/release';
import { entity, fixedOrder, implement, json, page, pageOfLongRows, pageRequest } from '@switchyard/rpc';
import { actorOf } from '../../repositories';
import type { ManageReleaseLinks } from '../application/manage-release-links';
import type { ManageReleases, ShownRelease } from '../application/manage-releases';
import type { ReleaseEdges } from '../application/release.edges';
import type { LinkType, NewLink, WantedMilestones } from '../domain/release';
import { presentRelease, presentReleaseLink, presentReleaseOfTag } from '../presenters/release.presenter';

const linkOf = ({ name, url, path, linkType }: NewReleaseLink): NewLink => ({
  name,
  url,
  path: path || undefined,
  type: linkType as LinkType,
});

const wanted = (milestones: ReleaseMilestones | undefined): WantedMilestones => milestones ?? { titles: [], ids: [] };

/** gRPC side of releases and their links. */
export function releaseHandler(
  use: ManageReleases,
  links: ManageReleaseLinks,
  {
    releases,
    externalUrl,
    clock,
    trackerLinks,
  }: Pick<ReleaseEdges, 'releases' | 'externalUrl' | 'clock' | 'trackerLinks'>,
) {
  /** @param htmlOf project whose descriptions are shown as HTML too; undefined for none */
  const rendering = async (htmlOf?: number) => ({
    externalUrl,
    now: clock(),
    html: htmlOf === undefined ? undefined : projectMarkdownRenderer(await trackerLinks([htmlOf]), externalUrl),
  });
  const shown = async (release: ShownRelease, ofTag = false, htmlOf?: number) =>
    entity(ofTag ? presentReleaseOfTag(release.release) : presentRelease(release, await rendering(htmlOf)));
  return implement(ReleaseServiceService, {
    async listReleases({ projectId, includeHtmlDescription, ...request }) {
      const { rows, page: info } = await releases.list(
        projectId,
        { updatedAfter: request.updatedAfter, updatedBefore: request.updatedBefore },
        pageRequest(request.page, { orderBy: 'released_at' }),
      );
      const as = await rendering(includeHtmlDescription ? projectId : undefined);
      const views = await use.withCommits(projectId, rows);
      return pageOfLongRows(
        views.map((view) => presentRelease(view, as)),
        { ...info, keyset: request.page?.keyset ?? false },
      );
    },

    getRelease: async ({ projectId, tagName, includeHtmlDescription }) =>
      shown(await use.get(projectId, tagName), false, includeHtmlDescription ? projectId : undefined),

    getReleaseAsset: async ({ projectId, tagName, path }) =>
      json(Buffer.from(`${await use.asset(projectId, tagName, `/${path}`)}\n`)),

    createRelease: async ({ projectId, tagName, ofTag, ...command }, context) =>
      shown(
        await use.create(projectId, actorOf(context), {
          ...command,
          tag: tagName,
          milestones: wanted(command.milestones),
          links: command.links.map(linkOf),
          releasedAt: command.releasedAt,
          tagExists: ofTag,
        }),
        ofTag,
      ),

    updateRelease: async ({ projectId, tagName, ofTag, ...patch }, context) =>
      shown(
        await use.update(projectId, actorOf(context), tagName, {
          name: patch.name,
          description: patch.description,
          releasedAt: patch.releasedAt,
          milestones: patch.milestones,
        }),
        ofTag,
      ),

    deleteRelease: async ({ projectId, tagName, ifUnmodifiedSince }, context) =>
      shown(await use.remove(projectId, actorOf(context), tagName, ifUnmodifiedSince)),

    async listReleaseLinks({ projectId, tagName, ...request }) {
      const found = await releases.listLinks(projectId, tagName, fixedOrder(request.page, 'id', 'desc'));
      if (found === undefined) throw notFound();
      return page(
        found.rows.map((link) => presentReleaseLink(link, { projectId, tag: tagName }, externalUrl)),
        { ...found.page, keyset: request.page?.keyset ?? false },
      );
    },

    getReleaseLink: async ({ projectId, tagName: tag, linkId }) =>
      entity(presentReleaseLink(await links.get(projectId, tag, linkId), { projectId, tag }, externalUrl)),

    createReleaseLink: async ({ projectId, tagName: tag, link }, context) => {
      const made = await links.create(projectId, actorOf(context), tag, linkOf(link!));
      return entity(presentReleaseLink(made, { projectId, tag }, externalUrl));
    },

    updateReleaseLink: async ({ projectId, tagName: tag, linkId, ...patch }, context) => {
      const changed = await links.update(
        projectId,
        actorOf(context),
        { tag, linkId },
        { name: patch.name, url: patch.url, path: patch.path, type: patch.linkType as LinkType | undefined },
      );
      return entity(presentReleaseLink(changed, { projectId, tag }, externalUrl));
    },

    deleteReleaseLink: async ({ projectId, tagName: tag, linkId, ifUnmodifiedSince }, context) => {
      const removed = await links.remove(projectId, actorOf(context), { tag, linkId }, ifUnmodifiedSince);
      return entity(presentReleaseLink(removed, { projectId, tag }, externalUrl));
    },
  });
}
