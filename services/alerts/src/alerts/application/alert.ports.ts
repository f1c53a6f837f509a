import type { Tx } from '@switchyard/database';
import type { AlertNumber, LinkedIncident } from '../domain/alert';
import type { AlertDecision, AlertFacts, AlertQuestions, LockedAlert } from '../domain/alert-change';

/** Changes of alerts by users and incidents. */
export interface AlertStore {
  /**
   * Locks an alert and the payloads of its project, since another unresolved alert must not have its fingerprint. Then
   * decides, and saves the steps with their events in one transaction. False when there is no such alert.
   * @param questions the facts that `decide` needs; others are not looked up
   * @throws AppError conflict when another unresolved alert has the fingerprint; what `decide` throws
   */
  change(
    at: AlertNumber,
    questions: AlertQuestions,
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
