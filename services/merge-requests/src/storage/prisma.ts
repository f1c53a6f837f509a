import { type Database, prismaAdapter } from '@switchyard/database';
import { PrismaClient } from '../generated/prisma/client';

const clients = new WeakMap<Database, PrismaClient>();

/** The Prisma client over a database's own pool; one per database, closed with it. */
export function prismaOf(db: Database): PrismaClient {
  const known = clients.get(db);
  if (known !== undefined) return known;
  const client = new PrismaClient({ adapter: prismaAdapter(db) });
  clients.set(db, client);
  return client;
}
