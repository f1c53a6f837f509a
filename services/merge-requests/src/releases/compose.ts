import { trackerLinksOf } from '@switchyard/directory';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { RefChangeSubscriber, Repositories } from '../repositories';
import { followTagsOf } from './application/follow-tags';
import { importReleases } from './application/import-releases';
import { manageReleaseLinks } from './application/manage-release-links';
import { manageReleases } from './application/manage-releases';
import type { ReleaseEdges } from './application/release.edges';
import { releaseStore } from './storage/release.store';
import { releaseHandler } from './transport/release.handler';
import { releaseImportHandler } from './transport/release-import.handler';

/** Builds releases and their links. */
export function composeReleases(
  { db, config, clock, peer, observe }: Edges,
  { tagsByName, createTag, protectedTags }: Pick<Repositories, 'tagsByName' | 'createTag' | 'protectedTags'>,
): Area {
  const store = releaseStore(db);
  const edges: ReleaseEdges = {
    releases: store,
    tagsByName,
    createTag,
    protectedTags,
    trackerLinks: trackerLinksOf(peer('groups-admin')),
    externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    clock,
  };
  const releases = observe('merge_requests.releases', manageReleases(edges));
  const links = observe('merge_requests.release_links', manageReleaseLinks(edges));
  const imports = observe('merge_requests.release_imports', {
    importReleases: importReleases({ tagsByName, releases: store }),
  });
  return { services: [releaseHandler(releases, links, edges), releaseImportHandler(imports.importReleases)] };
}

/** Follows the deletion of tags. */
export const followTags = ({ db, clock }: Pick<Edges, 'db' | 'clock'>): RefChangeSubscriber =>
  followTagsOf(releaseStore(db), clock);
