import { type Database, prismaAdapter } from '@switchyard/database';
import { PrismaClient } from '../generated/prisma/client';

/** The service's Prisma client, on the pool of `db`. */
export const openPrisma = (db: Database): PrismaClient => new PrismaClient({ adapter: prismaAdapter(db) });
