import type { EventBus } from './bus';
import { embeddedLog } from './embedded-log';
import { kafkaBus } from './kafka-bus';

/** The bus of this deployment: Kafka where brokers are given, else the embedded log. */
export function openBus({
  kafkaBrokers,
  logDatabaseUrl,
  clientId,
}: {
  /** `host:port` of some brokers. */
  kafkaBrokers?: string[];
  logDatabaseUrl?: string;
  /** Name of the process in the bus's own logs and statistics. */
  clientId?: string;
}): EventBus {
  if (kafkaBrokers !== undefined && kafkaBrokers.length > 0) return kafkaBus({ brokers: kafkaBrokers, clientId });
  if (logDatabaseUrl) return embeddedLog({ url: logDatabaseUrl, clientId });
  throw new Error('no event bus: set KAFKA_BROKERS, or LOG_DATABASE_URL for the embedded log');
}
