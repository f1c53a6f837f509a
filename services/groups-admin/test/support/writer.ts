import { type Database, prismaAdapter } from '@switchyard/database';
import { type DirectoryWriter, directoryWriter } from '../../src/directory';
import { PrismaClient } from '../../src/generated/prisma/client';

/** The transactions of the service on a database of a test. */
export const writerOf = (db: Database): DirectoryWriter =>
  directoryWriter(db, new PrismaClient({ adapter: prismaAdapter(db) }));
