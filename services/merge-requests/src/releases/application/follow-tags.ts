import { readRefs, tagNameOf, tagRef } from '../../git';
import { deletes, type RefChangeSubscriber, tagOf } from '../../repositories';
import type { ReleaseStore } from './release.edges';

/**
 * A tag that the API deletes takes its release with it. One that a push deletes does not: a tag is moved by deleting and
 * pushing it again. Where the tag is back by the time this runs, its release stays.
 */
export const followTagsOf = (releases: Pick<ReleaseStore, 'remove'>, clock: () => Date): RefChangeSubscriber => ({
  async afterRefChange(change, { openRepository }) {
    const name = tagNameOf(tagOf(change.ref) ?? '');
    if (name === undefined || change.source !== 'api' || !deletes(change)) return;
    const { repo } = await openRepository(change.projectId);
    if ((await readRefs(repo, [tagRef(name)])).size > 0) return;
    await releases.remove(change.projectId, name, { actorId: change.actorId, now: clock() });
  },
});
