import { createRequire } from 'node:module';

// The process of the benchmark `deliveries`: groups-admin's engine of deliveries alone, over a database of its own.
const require = createRequire(import.meta.url);
const { openDatabase, migrate } = require('@switchyard/database');
const { parseAllowed } = require('@switchyard/outbound');
const { observe } = require('@switchyard/telemetry');
const { composeDeliveries, queueDeliveries } = require('../services/groups-admin/dist/deliveries/index.js');
const { service } = require('../services/groups-admin/dist/service.js');

const { DATABASE_URL, RECEIVER } = process.env;

await migrate({ url: DATABASE_URL, sets: service.migrationSets });
const db = openDatabase({ url: DATABASE_URL, applicationName: 'bench' });
const deliveries = composeDeliveries({
  config: { SWITCHYARD_OUTBOUND_ALLOWED: parseAllowed('127.0.0.1'), SWITCHYARD_DELIVERY_RETRIES: 5, NO_PROXY: '' },
  db,
  clock: () => new Date(),
  observe,
});
deliveries.register('project_hook', {
  prepare: async ({ targetId, idempotencyKey }, { body }) => [
    {
      method: 'POST',
      url: `${RECEIVER}/${targetId}`,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `${targetId} ${idempotencyKey}` },
      body,
    },
  ],
  settled: async () => undefined,
});
const jobs = await deliveries.start();
const filler = 'x'.repeat(2_000);

process.on('message', async ({ from, changes: count, receivers }) => {
  const changes = Array.from({ length: count }, (_, at) => ({
    position: from + at,
    kind: 'issue',
    action: 'update',
    confidential: false,
    projectId: 1,
    groupId: 0,
    ref: '',
    objectKey: `issue:${(from + at) % 97}`,
    actorId: 1,
    occurredAt: new Date(),
    body: JSON.stringify({ object_kind: 'issue', object_attributes: { title: `Issue ${at}`, description: filler } }),
    eventId: `event ${from + at}`,
  }));
  const rows = changes.flatMap((change) =>
    receivers.map((targetId) => ({
      targetKind: 'project_hook',
      targetId,
      changePosition: change.position,
      receiver: `hook:${targetId}`,
      objectKey: change.objectKey,
      idempotencyKey: String(change.position),
      projectId: 1,
      groupId: 0,
      decision: 'queued',
      rule: 'issues_events',
    })),
  );
  await db.transaction((tx) => queueDeliveries(tx, changes, rows));
  process.send('queued');
});
process.on('disconnect', async () => {
  for (const job of jobs) await job.close();
  await deliveries.close();
  await db.close();
});
process.send('ready');
