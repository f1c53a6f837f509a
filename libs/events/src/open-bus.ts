import { assertSwitchedOn, type BusConfig, busVariables } from '@switchyard/config';
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
  if (KAFKA_BROKERS !== undefined) {
    if (LOG_DATABASE_URL !== undefined) throw new Error('LOG_DATABASE_URL: has no effect beside KAFKA_BROKERS');
    return kafkaBus({ ...kafkaConnection({ ...config, KAFKA_BROKERS }), clientId });
  }
  assertSwitchedOn(config, { by: 'KAFKA_BROKERS', prefix: 'KAFKA_', variables: busVariables });
  if (LOG_DATABASE_URL !== undefined) return embeddedLog({ url: LOG_DATABASE_URL, clientId });
  throw new Error('KAFKA_BROKERS: is missing, and so is LOG_DATABASE_URL for the embedded log');
}
