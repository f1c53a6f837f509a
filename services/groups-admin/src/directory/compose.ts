import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { directoryFeed } from './application/follow-directory';
import { locateProject } from './application/locate-project';
import { resolveAccess } from './application/resolve-access';
import type { PresentedAs } from './domain/access';
import { accessStore } from './storage/access.store';
import { directoryStore } from './storage/directory.store';
import { machineTokenStore } from './storage/machine-token.store';
import { accessHandler } from './transport/access.handler';
import { directoryHandler } from './transport/directory.handler';

/**
 * Access resolution and the feed of directory changes.
 * @param digestOf digest under which a presented token is stored; undefined for a text that cannot be a token
 */
export function composeDirectory(
  { config, db, observe }: Edges,
  digestOf: (token: string, kind: PresentedAs) => Buffer | undefined,
): Area {
  const store = { ...accessStore(db), ...machineTokenStore(db) };
  const access = observe('access', {
    resolve: resolveAccess({ store, digestOf, tier: config.SWITCHYARD_TIER }),
    locateProject: locateProject(store),
  });
  const feed = directoryFeed(directoryStore(db), db.notices);
  return {
    services: [accessHandler(access.resolve, access.locateProject), directoryHandler(feed)],
    start() {
      feed.start();
      return [];
    },
    drain: () => feed.drain(),
  };
}
