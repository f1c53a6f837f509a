import { assertMigrated, countStatements, guardWrites, openDatabase, prismaAdapter } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { openBus, startConsumer, startRelay } from '@switchyard/events';
import type { ServiceParts } from '@switchyard/rpc';
import { bootstrap } from './application/bootstrap';
import { composeGroups } from './compose-groups';
import type { Config } from './config';
import type { Dependencies } from './dependencies';
import { directoryFeed } from './directory/application/follow-directory';
import { locateProject } from './directory/application/locate-project';
import { resolveAccess } from './directory/application/resolve-access';
import { accessStore } from './directory/storage/access.store';
import { directoryStore } from './directory/storage/directory.store';
import { publishInstance } from './directory/storage/instance.store';
import { accessHandler } from './directory/transport/access.handler';
import { directoryHandler } from './directory/transport/directory.handler';
import { PrismaClient } from './generated/prisma/client';
import { countIssuables } from './issuable-counts/application/count-issuables';
import { issuableCounts } from './issuable-counts/storage/issuable-count.store';
import { issuableCountSubscriptions } from './issuable-counts/transport/issuable-count.subscription';
import { migrations } from './migrations';
import { namespaceHandler } from './namespaces/transport/namespace.handler';
import { followPushes } from './projects/application/follow-pushes';
import { projectStore } from './projects/storage/project.store';
import { repositorySubscription } from './projects/transport/repository.subscription';
import { personalAccessTokens } from './tokens/application/personal-access-tokens';
import { presentedDigest, tokenDigest } from './tokens/application/token';
import { tokenStore } from './tokens/storage/personal-access-token.store';
import { personalAccessTokenHandler } from './tokens/transport/personal-access-token.handler';
import { users } from './users/application/users';
import { userStore } from './users/storage/user.store';
import { userHandler } from './users/transport/user.handler';

/** Builds groups-admin over its database; refuses one that is not migrated. */
export async function compose(config: Config): Promise<ServiceParts> {
  await assertMigrated({ url: config.DATABASE_URL, sets: migrations });
  const db = openDatabase({ url: config.DATABASE_URL, applicationName: 'groups-admin', poolSize: 15 });
  const prisma = new PrismaClient({ adapter: prismaAdapter(db) });
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL.replace(/\/+$/, '');
  const tier = config.SWITCHYARD_TIER;
  const dependencies: Dependencies = { db, prisma, tier, externalUrl };
  const digest = tokenDigest(config.SWITCHYARD_SECRET);
  await bootstrap(db, digest, config.SWITCHYARD_ROOT_TOKEN);
  await publishInstance(db, tier);

  const feed = directoryFeed(directoryStore(db), db.notices);
  const access = resolveAccess({
    store: accessStore(db),
    digestOf: presentedDigest(digest, config.SWITCHYARD_ROOT_TOKEN),
    tier,
  });
  const tokens = personalAccessTokens(db, tokenStore(prisma), digest, config.SWITCHYARD_TOKEN_LIFETIME_DAYS);
  const groups = composeGroups(dependencies, {
    secret: config.SWITCHYARD_SECRET,
    deletionDelayDays: config.SWITCHYARD_DELETION_DELAY_DAYS,
  });
  const bus = openBus({
    kafkaBrokers: config.KAFKA_BROKERS?.split(','),
    logDatabaseUrl: config.LOG_DATABASE_URL,
    clientId: 'groups-admin',
  });
  const running: { close(): Promise<void> }[] = [];

  return {
    services: [
      accessHandler(access, locateProject(accessStore(db))),
      directoryHandler(feed),
      userHandler(users(db, userStore(prisma)), externalUrl),
      personalAccessTokenHandler(tokens),
      namespaceHandler(db, dependencies),
      ...groups.services,
    ],
    countStatements,
    guardWrites,
    ready: async () => void (await db.query(sql`select 1`)),
    start: async () => {
      running.push(
        startRelay({ db, bus }),
        await startConsumer({
          bus,
          db,
          group: 'groups-admin',
          subscriptions: [repositorySubscription(followPushes({ projects: projectStore(db) }))],
        }),
        await startConsumer({
          bus,
          db,
          // Apart from pushes, so that neither waits for the other.
          group: 'groups-admin.counts',
          subscriptions: issuableCountSubscriptions(countIssuables({ counts: issuableCounts })),
        }),
        ...groups.startJobs(),
      );
      feed.start();
    },
    drain: () => feed.drain(),
    close: async () => {
      await Promise.all(running.map((one) => one.close()));
      await bus.close();
      await prisma.$disconnect();
      await db.close();
    },
  };
}
