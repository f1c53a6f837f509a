import type { SqlExecutor, Tx } from '@switchyard/database';
import type { Alert, AlertProject, FollowedAlert } from '../domain/alert';

/** The status of alerts, which belong to another service. */
export interface FollowedAlerts {
  /** Locks the row of an alert and stores its status. */
  follow(tx: Tx, alert: Alert): Promise<FollowedAlert>;
  /** Stores that the event of this version opened the incident of an alert. */
  openedIncident(tx: Tx, alert: Alert): Promise<void>;
}

/** The directory within the transaction of what follows from an alert. */
export interface AlertDirectory {
  /** Id of the user who stands for what a payload caused; undefined while the directory has none. */
  alertBotId(tx: SqlExecutor): Promise<number | undefined>;
  /** Ids of the members of a project who have at least a level, 0 to 50. */
  members(tx: SqlExecutor, projectId: number, level: number): Promise<number[]>;
  /** A project that is there; undefined for one that is gone or about to go. */
  project(tx: SqlExecutor, id: number): Promise<AlertProject | undefined>;
  /** Whether a user can stand for what they caused: they are there and not blocked. */
  acts(tx: SqlExecutor, userId: number): Promise<boolean>;
}
