import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { gauge, metrics } from '@switchyard/telemetry';
import { Counter } from 'prom-client';
import type { EventBus } from './bus';

const published = new Counter({
  name: 'switchyard_events_published_total',
  help: 'Events handed to the bus',
  registers: [metrics],
});

const consumed = new Counter({
  name: 'switchyard_events_consumed_total',
  help: 'Events received, by type and outcome (handled, duplicate, ignored, redelivered, dead)',
  labelNames: ['type', 'outcome'],
  registers: [metrics],
});

export const countPublished = (events: number): void => published.inc(events);

export const countConsumed = (
  type: string,
  outcome: 'handled' | 'duplicate' | 'ignored' | 'redelivered' | 'dead',
): void => consumed.inc({ type, outcome });

/** Measures an outbox and whether this process is the replica that publishes it; what it returns ends that. */
export function measureRelay(db: Database, active: () => boolean): () => void {
  const read = () =>
    db.one<{ events: number; age: number }>(sql`
      select count(*)::int as events, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
      from events.outbox where published_at is null`);
  const ends = [
    gauge({ name: 'switchyard_outbox_backlog_events', help: 'Events committed and not yet published' }, async () => [
      { value: (await read())?.events ?? 0 },
    ]),
    gauge(
      {
        name: 'switchyard_outbox_backlog_age_seconds',
        help: 'Age of the oldest event that is not yet published; 0 without one',
      },
      async () => [{ value: (await read())?.age ?? 0 }],
    ),
    gauge(
      { name: 'switchyard_relay_active', help: '1 in the replica that publishes the outbox, 0 in those that stand by' },
      async () => [{ value: active() ? 1 : 0 }],
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Measures how far a group is behind the bus; what it returns ends that. */
export const measureLag = (bus: EventBus, of: { group: string; topics: string[] }): (() => void) =>
  gauge(
    {
      name: 'switchyard_consumer_lag_events',
      help: 'Events on the bus that a consumer group has yet to receive',
      labels: ['group'],
    },
    async () => [{ labels: { group: of.group }, value: await bus.lag(of) }],
  );
