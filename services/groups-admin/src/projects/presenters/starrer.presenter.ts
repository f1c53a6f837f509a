import { userReference } from '@switchyard/directory';
import type { StarrerRow } from '../domain/starrer-row';

/** A user who starred a project, and since when. */
export const presentStarrer = (starrer: StarrerRow, externalUrl: string) => ({
  starred_since: starrer.starred_since,
  user: userReference(starrer, externalUrl),
});
