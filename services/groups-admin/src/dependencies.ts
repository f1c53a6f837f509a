import type { Database } from '@switchyard/database';
import type { PrismaClient } from './generated/prisma/client';

/** What use cases of this service are made of. */
export interface Dependencies {
  readonly db: Database;
  readonly prisma: PrismaClient;
  /** Tier of the instance. */
  readonly tier: string;
  /** Address of the instance as clients see it, without a slash at the end. */
  readonly externalUrl: string;
}
