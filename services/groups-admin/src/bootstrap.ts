import { logger } from '@switchyard/telemetry';
import type { Transact } from './directory';
import { replaceRootToken, type TokenDigest } from './tokens';
import { makeInstanceUsers } from './users';

/** Creates the users that an instance needs, and gives `root` the token of `SWITCHYARD_ROOT_TOKEN` (D2). */
export const bootstrap = (transaction: Transact, digest: TokenDigest, rootToken: string | undefined): Promise<void> =>
  transaction(async (tx) => {
    const { rootId, made } = await makeInstanceUsers(tx);
    if (rootToken !== undefined && !(await replaceRootToken(tx, rootId, digest(rootToken))))
      logger.error('SWITCHYARD_ROOT_TOKEN: the token was revoked and stays so; configure another one');
    if (made.length > 0) logger.info({ users: made }, 'users of the instance itself were made');
  });
