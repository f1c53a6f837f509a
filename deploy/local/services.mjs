/**
 * The processes of an installation, in starting order; stopping runs backwards. Each but the gateway owns a database.
 *
 * @type {readonly { name: string, database?: string, addressVariable?: string }[]}
 */
export const SERVICES = [
  { name: 'groups-admin', database: 'switchyard_groups_admin', addressVariable: 'GROUPS_ADMIN_ADDRESS' },
  { name: 'merge-requests', database: 'switchyard_merge_requests', addressVariable: 'MERGE_REQUESTS_ADDRESS' },
  { name: 'collaboration', database: 'switchyard_collaboration', addressVariable: 'COLLABORATION_ADDRESS' },
  { name: 'alerts', database: 'switchyard_alerts', addressVariable: 'ALERTS_ADDRESS' },
  { name: 'gateway' },
];

/** The database of the embedded event log (D6), used when KAFKA_BROKERS is unset. */
export const LOG_DATABASE = 'switchyard_log';

/** The embedded server, as logs and the process record name it. */
export const POSTGRES = 'postgresql';
