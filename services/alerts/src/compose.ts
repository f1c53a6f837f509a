import { type BlobStore, openBlobStore } from '@switchyard/blobs';
import { assertMigrated, countStatements, guardWrites, openDatabase, sql } from '@switchyard/database';
import { startDirectory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import { type EventBus, openBus, startRelay } from '@switchyard/events';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { connect, forwardedHttp, type ProcessContext, type ServiceParts } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { keyDigest } from './application/integration-key';
import type { Area, AreaEdges } from './area';
import { composeAlerts } from './compose-alerts';
import { composeIngestion } from './compose-ingestion';
import { composeIntegrations } from './compose-integrations';
import { composeMetricImages } from './compose-metric-images';
import type { Config } from './config';
import { readDigestKey } from './digest-key';
import { migrationSets } from './migrations';

/** Edges that tests replace. */
export interface Edges {
  readonly bus?: EventBus;
  readonly blobs?: BlobStore;
  readonly clock?: () => Date;
}

/** Builds the service on a migrated database. */
export async function compose(
  config: Config,
  { signer, trusted }: ProcessContext,
  edges: Edges = {},
): Promise<ServiceParts> {
  await assertMigrated({ url: config.DATABASE_URL, sets: migrationSets });
  const blobs = edges.blobs ?? (await openBlobStore(config));
  const db = openDatabase({ url: config.DATABASE_URL, applicationName: 'alerts', poolSize: 15 });
  const groupsAdmin = connect(config.GROUPS_ADMIN_ADDRESS, signer);
  const directory = await startDirectory({ db, client: groupsAdmin.client(DirectoryServiceService), log: logger });
  const bus =
    edges.bus ??
    openBus({
      kafkaBrokers: config.KAFKA_BROKERS?.split(','),
      logDatabaseUrl: config.LOG_DATABASE_URL,
      clientId: 'alerts',
    });
  const digest = keyDigest(readDigestKey(config.SWITCHYARD_ALERT_DIGEST_KEY_FILE));
  const clock = edges.clock ?? (() => new Date());
  const given: AreaEdges = { config, db, directory, groupsAdmin, bus, blobs, digest, clock };
  const compositions: ((given: AreaEdges) => Area)[] = [
    composeIntegrations,
    composeIngestion,
    composeAlerts,
    composeMetricImages,
  ];
  const areas = compositions.map((composeArea) => composeArea(given));

  const background: { close(): Promise<void> }[] = [];
  return {
    services: areas.flatMap(({ services }) => services),
    ensureDirectory: directory.ensure,
    http: forwardedHttp(
      { trusted, ensureDirectory: directory.ensure },
      areas.flatMap(({ http = [] }) => http),
    ),
    countStatements,
    guardWrites,
    ready: async () => {
      await db.query(sql`select 1`);
      if (!directory.ready()) throw unavailable('the directory has not been filled');
    },
    start: async () => {
      for (const area of areas) background.push(...((await area.start?.()) ?? []));
      background.push(startRelay({ db, bus }));
    },
    drain: () => {
      for (const area of areas) area.drain?.();
    },
    close: async () => {
      await Promise.all(background.map((one) => one.close()));
      await directory.close();
      if (edges.bus === undefined) await bus.close();
      await Promise.all(areas.map((area) => area.close?.()));
      if (edges.blobs === undefined) blobs.close();
      await db.close();
      groupsAdmin.close();
    },
  };
}
