import { type BusConfig, busVariables, parseEnvironment } from '@switchyard/config';
import type { EventBus } from './bus';
import { embeddedLog } from './embedded-log';
import { kafkaBus } from './kafka-bus';
import { kafkaConnection } from './kafka-connection';

/**
 * Opens the bus that the environment names: Kafka where brokers are given, else the embedded log.
 * @param clientId name of the process in the bus's own logs and statistics
 * @throws Error with one line that names the variable at fault
 */
export function openBus(config: BusConfig, clientId?: string): EventBus {
  const { KAFKA_BROKERS, LOG_DATABASE_URL } = config;
  if (KAFKA_BROKERS !== undefined) return kafkaBus({ ...kafkaConnection({ ...config, KAFKA_BROKERS }), clientId });
  const defaults: Record<string, unknown> = parseEnvironment(busVariables, {});
  const idle = Object.entries(config).find(([name, value]) => name.startsWith('KAFKA_') && value !== defaults[name]);
  if (idle !== undefined) throw new Error(`KAFKA_BROKERS: must be set when ${idle[0]} is`);
  if (LOG_DATABASE_URL !== undefined) return embeddedLog({ url: LOG_DATABASE_URL, clientId });
  throw new Error('no event bus: set KAFKA_BROKERS, or LOG_DATABASE_URL for the embedded log');
}
