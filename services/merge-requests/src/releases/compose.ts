import { importedPeople, trackerLinksOf } from '@switchyard/directory';
import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { Edges } from '../edges';
import type { RefChangeSubscriber, Repositories } from '../repositories';
import { followTagsOf } from './application/follow-tags';
import { importReleases } from './application/import-releases';
import { manageReleaseLinks } from './application/manage-release-links';
import { manageReleases } from './application/manage-releases';
import type { ReleaseEdges } from './application/release.edges';
import { restoreReleases } from './application/restore-releases';
import { releaseStore } from './storage/release.store';
import { releaseHandler } from './transport/release.handler';
import { authorsOf, releaseRecord, toImported } from './transport/release.record';
import { releaseImportHandler } from './transport/release-import.handler';

/** Releases, and what takes those of an archive. */
export interface ReleaseArea extends Area {
  readonly records: RecordWriter;
}

/** Builds releases and their links. */
export function composeReleases(
  { db, config, clock, peer, observe }: Edges,
  { tagsByName, createTag, protectedTags }: Pick<Repositories, 'tagsByName' | 'createTag' | 'protectedTags'>,
): ReleaseArea {
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
  const restoring = restoreReleases(edges);
  return {
    services: [releaseHandler(releases, links, edges), releaseImportHandler(imports.importReleases)],
    records: recordWriter(releaseRecord, async (target, given) => {
      const people = await importedPeople(db, target, authorsOf(given));
      return restoring(target.projectId, given.map(toImported(target.projectId, people)));
    }),
  };
}

/** Follows the deletion of tags. */
export const followTags = ({ db, clock }: Pick<Edges, 'db' | 'clock'>): RefChangeSubscriber =>
  followTagsOf(releaseStore(db), clock);
