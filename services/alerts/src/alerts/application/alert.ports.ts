import type { Tx } from '@switchyard/database';
import type { AlertDecision, LockedAlert } from '../domain/alert-change';

/** Which alert. */
export interface AlertNumber {
  readonly projectId: number;
  readonly iid: number;
}

/** An incident as an alert stores it. */
export interface LinkedIncident {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
}

/** What a decision about an alert may depend on, apart from the alert. */
export interface AlertFacts {
  /** The candidates who may read the alerts of the project. */
  readonly readers: readonly number[];
  /** Whether issues can be opened in the project. */
  readonly takesIssues: boolean;
}

/** Changes of alerts by users and incidents. */
export interface AlertStore {
  /**
   * Locks an alert and the payloads of its project, since another unresolved alert must not have its fingerprint. Then
   * decides, and saves the steps with their events in one transaction. False when there is no such alert.
   * @param candidates users to check, at most `maxAssignees`; `readers` contains those who may read the alerts
   * @throws AppError conflict when another unresolved alert has the fingerprint; what `decide` throws
   */
  change(
    at: AlertNumber,
    candidates: (alert: LockedAlert) => readonly number[],
    decide: (alert: LockedAlert, facts: AlertFacts) => AlertDecision,
  ): Promise<boolean>;
  /** The same for the alert of an incident, in the given transaction; does nothing when there is none. */
  changeOfIncident(tx: Tx, issueId: number, decide: (alert: LockedAlert) => AlertDecision): Promise<void>;
  /** Links an alert to its incident, when it has none, or has `replacing`. */
  link(tx: Tx, id: number, incident: LinkedIncident, replacing: number): Promise<void>;
  /** Links the alert of a moved incident to the new issue. */
  relink(tx: Tx, issueId: number, moved: LinkedIncident): Promise<void>;
  /** Removes the incident of an alert from its row. */
  unlink(tx: Tx, issueId: number): Promise<void>;
  /** The incident of an alert; undefined while there is none. */
  incidentOf(projectId: number, iid: number): Promise<LinkedIncident | undefined>;
}
