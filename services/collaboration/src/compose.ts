import { assertMigrated, countStatements, guardWrites, openDatabase, sql } from '@switchyard/database';
import { startDirectory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import { type EventBus, openBus, startConsumer, startRelay } from '@switchyard/events';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { connect, type ProcessContext, type ServiceParts } from '@switchyard/rpc';
import { logger, observe } from '@switchyard/telemetry';
import { composeActivity } from './activity';
import { composeAlerts } from './alerts';
import type { Area, Closable } from './area';
import type { Config } from './config';
import { composeCrossReferences } from './cross-references';
import type { CollaborationEdges } from './edges';
import { composeIssues } from './issues';
import { composeMail } from './mail';
import { composeMergeRequests } from './merge-requests';
import { migrationSets } from './migrations';
import { composeNotes } from './notes';
import { composeSnippets } from './snippets';
import { openPrisma } from './storage/prisma';
import { composeTargets } from './targets';
import { composeTodos } from './todos';

/** Edges that tests replace. */
export interface Edges {
  readonly bus?: EventBus;
}

/** Builds the service on a migrated database. */
export async function compose(config: Config, { signer }: ProcessContext, edges: Edges = {}): Promise<ServiceParts> {
  await assertMigrated({ url: config.DATABASE_URL, sets: migrationSets });
  const db = openDatabase({ url: config.DATABASE_URL, applicationName: 'collaboration', poolSize: 15 });
  const prisma = openPrisma(db);
  const groupsAdmin = connect(config.GROUPS_ADMIN_ADDRESS, signer);
  const mergeRequests = connect(config.MERGE_REQUESTS_ADDRESS, signer);
  const alertOwner = connect(config.ALERTS_ADDRESS, signer);
  const directory = await startDirectory({ db, client: groupsAdmin.client(DirectoryServiceService), log: logger });
  const bus =
    edges.bus ??
    openBus({
      kafkaBrokers: config.KAFKA_BROKERS?.split(','),
      logDatabaseUrl: config.LOG_DATABASE_URL,
      clientId: 'collaboration',
    });

  const peers = { 'groups-admin': groupsAdmin, 'merge-requests': mergeRequests, alerts: alertOwner };
  const given: CollaborationEdges = {
    config,
    db,
    bus,
    clock: () => new Date(),
    directory,
    prisma,
    peer: (name) => peers[name],
    observe,
  };

  const foreign = composeTargets(given);
  const issues = composeIssues(given, { mergeRequests: foreign.MergeRequest });
  const snippets = composeSnippets(given);
  const todos = composeTodos(given, { ...foreign, Issue: issues.targets });
  const notes = composeNotes(given, { issues, snippets, commandTodos: todos.commands });

  const areas: Area[] = [
    issues,
    snippets,
    notes,
    todos,
    composeCrossReferences(given),
    composeActivity(given),
    composeMergeRequests(given, [todos.mergeRequestFollower, notes.mergeRequestFollower, issues.mergeRequestFollower]),
    composeAlerts(given, { todos }),
    composeMail(given),
  ];
  const background: Closable[] = [];
  return {
    services: [...areas.flatMap(({ services = [] }) => services)],
    ensureDirectory: directory.ensure,
    countStatements,
    guardWrites,
    ready: async () => {
      await db.query(sql`select 1`);
      if (!directory.ready()) throw unavailable('the directory has not been filled');
    },
    start: async () => {
      for (const area of areas) {
        for (const { group, subscriptions } of area.consumers ?? [])
          background.push(await startConsumer({ bus, db, group, subscriptions }));
        background.push(...((await area.start?.()) ?? []));
      }
      background.push(...(await alerts.start()), startRelay({ db, bus }));
    },
    close: async () => {
      await Promise.all(background.map((one) => one.close()));
      await directory.close();
      if (edges.bus === undefined) await bus.close();
      await prisma.$disconnect();
      await db.close();
      groupsAdmin.close();
      mergeRequests.close();
      alertOwner.close();
    },
  };
}
