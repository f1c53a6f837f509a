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

/** What a decision about an alert may depend on beside the alert. */
export interface AlertFacts {
  /** Those of the users asked for who may read the alerts of the project. */
  readonly readers: readonly number[];
  /** Whether issues can be opened in the project. */
  readonly takesIssues: boolean;
}

/** Alerts, where something other than a payload changes them. */
export interface AlertStore {
  /**
   * Locks an alert, and holds off the payloads of its project: whether another unresolved alert has its fingerprint is decided meanwhile.
   * Then decides, and saves the steps with their events in one transaction. False when there is no such alert.
   * @param candidates users of whom `readers` tells those who may read the alerts
   * @throws AppError conflict when another unresolved alert has the fingerprint; what `decide` throws
   */
  change(
    at: AlertNumber,
    candidates: readonly number[],
    decide: (alert: LockedAlert, facts: AlertFacts) => AlertDecision,
  ): Promise<boolean>;
  /** The same for the alert of an incident, within a transaction; nothing happens when there is none. */
  changeOfIncident(tx: Tx, issueId: number, decide: (alert: LockedAlert) => AlertDecision): Promise<void>;
  /** Ties an alert to its incident, where it has none, or has `replacing`. */
  link(tx: Tx, id: number, incident: LinkedIncident, replacing: number): Promise<void>;
  /** Ties the alert of an incident to the issue that this one was moved to. */
  relink(tx: Tx, issueId: number, moved: LinkedIncident): Promise<void>;
  /** Removes the incident of an alert from its row. */
  unlink(tx: Tx, issueId: number): Promise<void>;
  /** The incident of an alert; undefined while there is none. */
  incidentOf(projectId: number, iid: number): Promise<LinkedIncident | undefined>;
}
