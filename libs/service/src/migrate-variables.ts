import { busVariables, serviceVariables } from '@switchyard/config';

/** What the sub-command `migrate` reads. */
export const migrateVariables = {
  DATABASE_URL: serviceVariables.DATABASE_URL,
  KAFKA_BROKERS: busVariables.KAFKA_BROKERS,
  LOG_DATABASE_URL: busVariables.LOG_DATABASE_URL,
};
