import type { AlertStatus, ItemOutcome } from '../../alerts';
import type { AlertSeverity, PayloadFormat, PayloadItem, ReportedAlert } from '../../payloads';
import { applyMessage, type FingerprintState, initialState, type ReportedEnd } from './alert-machine';

/** The settings of a project about its alerts, at the time of the payload. */
export interface AlertPolicy {
  readonly openIncident: boolean;
  readonly sendEmail: boolean;
  /** Whether an end that a payload reports closes the incident. */
  readonly closeIncident: boolean;
}

/** A payload to store. */
export interface ReceivedPayload {
  /** UUID. */
  readonly receiptId: string;
  readonly projectId: number;
  readonly integrationId: number;
  readonly format: PayloadFormat;
  readonly receivedAt: Date;
  readonly policy: AlertPolicy;
  readonly items: readonly PayloadItem[];
}

/** An unresolved alert as it is stored. */
export interface StoredAlert {
  readonly id: number;
  readonly projectId: number;
  readonly iid: number;
  readonly title: string;
  readonly severity: AlertSeverity;
  readonly status: AlertStatus;
  readonly version: number;
  readonly issueIid: number | undefined;
  readonly fingerprint: string;
  /** Latest start that one of its payloads reported, milliseconds since 1970. */
  readonly lastStart: number | undefined;
}

/** A reported end of a fingerprint. */
export interface StoredEnd extends ReportedEnd {
  readonly projectId: number;
  readonly fingerprint: string;
}

/** The stored rows of the projects and fingerprints of a batch, locked. */
export interface StoredFingerprints {
  /** Last iid, by project. */
  readonly lastIids: ReadonlyMap<number, number>;
  readonly open: readonly StoredAlert[];
  readonly ends: readonly StoredEnd[];
}

/** An alert that a batch raises or changes. */
export interface DecidedAlert {
  /** The stored one; undefined for one that the batch raises. */
  readonly stored: StoredAlert | undefined;
  /** What raised it; undefined for a stored one. */
  readonly raised: { readonly by: ReportedAlert; readonly payload: ReceivedPayload } | undefined;
  readonly projectId: number;
  readonly iid: number;
  readonly title: string;
  /** Messages counted, the raising one included. */
  readonly counted: number;
  readonly lastStart: number | undefined;
  /** How a payload resolved it. */
  readonly resolved: { readonly endedAt: Date; readonly payload: ReceivedPayload } | undefined;
}

/** The changes that a batch causes. */
export interface BatchDecision {
  /** Alerts raised, counted or resolved, each once, in the order in which they were first touched. */
  readonly alerts: readonly DecidedAlert[];
  /** Ends to store. */
  readonly ends: readonly StoredEnd[];
  readonly lastIids: ReadonlyMap<number, number>;
  /** By payload, by item. */
  readonly outcomes: readonly (readonly ItemOutcome[])[];
}

interface Track {
  state: FingerprintState;
  alert: Mutable<DecidedAlert> | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const keyOf = (projectId: number, fingerprint: string): string => `${projectId}:${fingerprint}`;

/**
 * Decides the outcome of payloads and their items, in order, by the rule of time (`applyMessage`). Pure: the caller
 * reads and locks the rows, and writes the result.
 */
export function decideBatch(payloads: readonly ReceivedPayload[], stored: StoredFingerprints): BatchDecision {
  const alerts = new Set<Mutable<DecidedAlert>>();
  const lastIids = new Map(stored.lastIids);
  const tracks = tracksOf(stored);

  const raise = (payload: ReceivedPayload, report: ReportedAlert, lastStart: number | undefined) => {
    const { projectId } = payload;
    const iid = (lastIids.get(projectId) ?? 0) + 1;
    lastIids.set(projectId, iid);
    const raised = { by: report, payload };
    const alert = {
      stored: undefined,
      raised,
      projectId,
      iid,
      title: report.title,
      counted: 1,
      lastStart,
      resolved: undefined,
    };
    alerts.add(alert);
    return alert;
  };

  const applyReported = (payload: ReceivedPayload, report: ReportedAlert): ItemOutcome => {
    const { fingerprint, title } = report;
    const startsAt = report.startsAt?.getTime();
    if (fingerprint === undefined) {
      if (report.isEnd) return { outcome: 'ignored', reason: 'no_fingerprint', iid: undefined, title };
      return outcomeOf('created', raise(payload, report, startsAt));
    }
    const key = keyOf(payload.projectId, fingerprint);
    let track = tracks.get(key);
    if (track === undefined) {
      track = { state: initialState, alert: undefined };
      tracks.set(key, track);
    }
    const message = {
      isEnd: report.isEnd,
      startsAt,
      endsAt: report.endsAt?.getTime(),
      raisesAgain: payload.format === 'custom',
    };
    const { state, result } = applyMessage(track.state, message, payload.receivedAt.getTime());
    track.state = state;
    if (result.outcome === 'ignored') return { outcome: 'ignored', reason: result.reason, iid: undefined, title };
    if (result.outcome === 'created') {
      track.alert = raise(payload, report, state.open?.lastStart);
      return outcomeOf('created', track.alert);
    }
    const { alert } = track;
    if (alert === undefined) throw new Error('an alert is open and has not been read');
    alerts.add(alert);
    if (result.outcome === 'counted') {
      alert.counted += 1;
      alert.lastStart = state.open?.lastStart;
    } else {
      alert.resolved = { endedAt: new Date(result.endedAt), payload };
    }
    return outcomeOf(result.outcome, alert);
  };

  const outcomes = payloads.map((payload) =>
    payload.items.map(
      (item): ItemOutcome =>
        item.kind === 'rejected'
          ? { outcome: 'rejected', reason: item.reason, iid: undefined, title: item.title }
          : applyReported(payload, item.alert),
    ),
  );
  return { alerts: [...alerts], ends: newEnds(tracks, stored.ends), lastIids, outcomes };
}

const outcomeOf = (outcome: ItemOutcome['outcome'], { iid, title }: DecidedAlert): ItemOutcome => ({
  outcome,
  reason: undefined,
  iid,
  title,
});

function tracksOf({ open, ends }: StoredFingerprints): Map<string, Track> {
  const tracks = new Map<string, Track>();
  for (const alert of open) {
    const { projectId, iid, title, lastStart } = alert;
    tracks.set(keyOf(projectId, alert.fingerprint), {
      state: { open: { lastStart }, lastEnd: undefined },
      alert: { stored: alert, raised: undefined, projectId, iid, title, counted: 0, lastStart, resolved: undefined },
    });
  }
  for (const lastEnd of ends) {
    const key = keyOf(lastEnd.projectId, lastEnd.fingerprint);
    const track = tracks.get(key) ?? { state: initialState, alert: undefined };
    tracks.set(key, { ...track, state: { ...track.state, lastEnd } });
  }
  return tracks;
}

function newEnds(tracks: ReadonlyMap<string, Track>, known: readonly StoredEnd[]): StoredEnd[] {
  const before = new Set<ReportedEnd>(known);
  return [...tracks].flatMap(([key, { state }]) => {
    const { lastEnd } = state;
    if (lastEnd === undefined || before.has(lastEnd)) return [];
    const at = key.indexOf(':');
    return [{ ...lastEnd, projectId: Number(key.slice(0, at)), fingerprint: key.slice(at + 1) }];
  });
}
