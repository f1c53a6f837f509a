/** A Prisma client as far as the frame handles it. */
export interface PrismaLike {
  $disconnect(): Promise<void>;
}

/** The class of a generated Prisma client. */
export type PrismaClass<Client extends PrismaLike = PrismaLike> = new (options: never) => Client;

/** What a service needs beyond a database and the bus. */
export interface Needs {
  /** A replica of the directory (D5); `groups-admin` must then be among the peers. */
  readonly directory?: true;
  /** A store of files (D7). */
  readonly blobs?: true;
  /** The generated Prisma client; it shares the pool of the service. */
  readonly prisma?: PrismaClass;
}
