import { alertDeaths } from './deaths/alerts';
import { archiveDeaths } from './deaths/archives';
import { collaborationDeaths } from './deaths/collaboration';
import { exportDeaths } from './deaths/exports';
import { type Chosen, type Ground, openGround } from './deaths/ground';
import { importDeaths } from './deaths/imports';
import { mergeRequestDeaths } from './deaths/merge-requests';
import { notificationDeaths } from './deaths/notifications';
import { packageDeaths } from './deaths/packages';
import { repeatedRequestDeaths } from './deaths/repeated-requests';
import { repositoryDeaths } from './deaths/repositories';

/** In this order: archives, for one, hold the merge requests from forks that come before. */
const rooms = [
  ...[repositoryDeaths, notificationDeaths, mergeRequestDeaths, collaborationDeaths, repeatedRequestDeaths],
  ...[alertDeaths, packageDeaths, exportDeaths, archiveDeaths, importDeaths],
];

/**
 * A process dies at named points, once at each. Oracles: what was acknowledged is there once, what was not is there wholly or not at all
 * and can be done again; git is sound; outboxes run empty; a to-do exists exactly once. `named-points.test.ts` does the same under load.
 * @param chosen which points of a list are fired, if any
 */
export function deathTests(chosen: Chosen) {
  describe('a process dies', () => {
    let ground: Ground;
    beforeAll(async () => {
      ground = await openGround();
    });
    afterAll(() => ground?.close());
    for (const room of rooms) room(chosen, () => ground);
  });
}
