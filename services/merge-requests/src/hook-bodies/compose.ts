import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { MergeRequests } from '../merge-requests';
import type { Repositories } from '../repositories';
import { gatherHookFacts } from './application/gather-hook-facts';
import { gatherHookParts } from './application/gather-hook-parts';
import { readPushedCommits } from './application/read-pushed-commits';
import { hookFactStore } from './storage/hook-fact.store';
import { hookBodyHandler } from './transport/hook-body.handler';

/** Builds the rendering of hook bodies, which reads what every other area keeps. */
export function composeHookBodies(
  { db, config, clock, observe }: Edges,
  { repositoryOf, processesOf }: Pick<Repositories, 'repositoryOf' | 'processesOf'>,
  mergeRequests: Pick<MergeRequests, 'edges'>,
): Area {
  const store = hookFactStore(db, mergeRequests.edges.mergeRequests.viewsByIds);
  const edges = { store, readCommits: readPushedCommits(repositoryOf) };
  const { gather, gatherParts } = observe('merge_requests.hook_bodies', {
    gather: gatherHookFacts(edges),
    gatherParts: gatherHookParts(edges),
  });
  const rendering = { gather, gatherParts, externalUrl: config.SWITCHYARD_EXTERNAL_URL, clock };
  return { services: [hookBodyHandler({ ...rendering, processesOf, projectsOf: store.projectsOf })] };
}
