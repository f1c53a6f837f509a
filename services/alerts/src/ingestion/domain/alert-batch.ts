import type { AlertStatus, ItemOutcome } from '../../alerts';
import type { AlertSeverity, PayloadFormat, PayloadItem, ReportedAlert } from '../../payloads';
import { type Course, freshCourse, type ToldEnd, take } from './alert-machine';

/** What a project wants done about its alerts, as it stood when the payload came. */
export interface AlertWishes {
  readonly openIncident: boolean;
  readonly sendEmail: boolean;
  /** Whether an end that a payload reports closes the incident. */
  readonly closeIncident: boolean;
}

/** A payload to be stored. */
export interface ReceivedPayload {
  /** UUID. */
  readonly receiptId: string;
  readonly projectId: number;
  readonly integrationId: number;
  readonly format: PayloadFormat;
  readonly receivedAt: Date;
  readonly wishes: AlertWishes;
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
  /** Greatest start that any of its payloads told, milliseconds since 1970. */
  readonly lastStart: number | undefined;
}

/** An end that was told of a fingerprint. */
export interface StoredEnd extends ToldEnd {
  readonly projectId: number;
  readonly fingerprint: string;
}

/** What is stored of the projects and fingerprints of a batch, locked. */
export interface StoredCourses {
  /** Last number given out, by project. */
  readonly lastIids: ReadonlyMap<number, number>;
  readonly open: readonly StoredAlert[];
  readonly ends: readonly StoredEnd[];
}

/** An alert while a batch is worked off. */
export interface WorkedAlert {
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

/** What a batch comes to. */
export interface WorkedBatch {
  /** Alerts raised, counted or resolved, each once, in the order in which they were first touched. */
  readonly alerts: readonly WorkedAlert[];
  /** Ends that are to be remembered from now on. */
  readonly ends: readonly StoredEnd[];
  readonly lastIids: ReadonlyMap<number, number>;
  /** Per payload, per item. */
  readonly outcomes: readonly (readonly ItemOutcome[])[];
}

interface Track {
  course: Course;
  alert: Mutable<WorkedAlert> | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const keyOf = (projectId: number, fingerprint: string): string => `${projectId}:${fingerprint}`;

/**
 * Works off payloads in their order, items in theirs, by the rule of time (`take`). Pure: what it needs has been read and locked, what it
 * comes to is written by the caller.
 */
export function workOff(payloads: readonly ReceivedPayload[], stored: StoredCourses): WorkedBatch {
  const alerts = new Set<Mutable<WorkedAlert>>();
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

  const takeReported = (payload: ReceivedPayload, report: ReportedAlert): ItemOutcome => {
    const { fingerprint, title } = report;
    const startsAt = report.startsAt?.getTime();
    if (fingerprint === undefined) {
      if (report.isEnd) return { outcome: 'ignored', reason: 'no_fingerprint', iid: undefined, title };
      return outcomeOf('created', raise(payload, report, startsAt));
    }
    const key = keyOf(payload.projectId, fingerprint);
    let track = tracks.get(key);
    if (track === undefined) {
      track = { course: freshCourse, alert: undefined };
      tracks.set(key, track);
    }
    const message = {
      isEnd: report.isEnd,
      startsAt,
      endsAt: report.endsAt?.getTime(),
      repeatsAnew: payload.format === 'custom',
    };
    const { course, verdict } = take(track.course, message, payload.receivedAt.getTime());
    track.course = course;
    if (verdict.outcome === 'ignored') return { outcome: 'ignored', reason: verdict.reason, iid: undefined, title };
    if (verdict.outcome === 'created') {
      track.alert = raise(payload, report, course.open?.lastStart);
      return outcomeOf('created', track.alert);
    }
    const { alert } = track;
    if (alert === undefined) throw new Error('an alert is open and has not been read');
    alerts.add(alert);
    if (verdict.outcome === 'counted') {
      alert.counted += 1;
      alert.lastStart = course.open?.lastStart;
    } else {
      alert.resolved = { endedAt: new Date(verdict.endedAt), payload };
    }
    return outcomeOf(verdict.outcome, alert);
  };

  const outcomes = payloads.map((payload) =>
    payload.items.map(
      (item): ItemOutcome =>
        item.kind === 'rejected'
          ? { outcome: 'rejected', reason: item.reason, iid: undefined, title: item.title }
          : takeReported(payload, item.alert),
    ),
  );
  return { alerts: [...alerts], ends: newEnds(tracks, stored.ends), lastIids, outcomes };
}

const outcomeOf = (outcome: ItemOutcome['outcome'], { iid, title }: WorkedAlert): ItemOutcome => ({
  outcome,
  reason: undefined,
  iid,
  title,
});

function tracksOf({ open, ends }: StoredCourses): Map<string, Track> {
  const tracks = new Map<string, Track>();
  for (const alert of open) {
    const { projectId, iid, title, lastStart } = alert;
    tracks.set(keyOf(projectId, alert.fingerprint), {
      course: { open: { lastStart }, lastEnd: undefined },
      alert: { stored: alert, raised: undefined, projectId, iid, title, counted: 0, lastStart, resolved: undefined },
    });
  }
  for (const lastEnd of ends) {
    const key = keyOf(lastEnd.projectId, lastEnd.fingerprint);
    const track = tracks.get(key) ?? { course: freshCourse, alert: undefined };
    tracks.set(key, { ...track, course: { ...track.course, lastEnd } });
  }
  return tracks;
}

function newEnds(tracks: ReadonlyMap<string, Track>, known: readonly StoredEnd[]): StoredEnd[] {
  const before = new Set<ToldEnd>(known);
  return [...tracks].flatMap(([key, { course }]) => {
    const { lastEnd } = course;
    if (lastEnd === undefined || before.has(lastEnd)) return [];
    const at = key.indexOf(':');
    return [{ ...lastEnd, projectId: Number(key.slice(0, at)), fingerprint: key.slice(at + 1) }];
  });
}
