/** Severities, from the lowest; the index is the number in a row. */
export const alertSeverities = ['unknown', 'info', 'low', 'medium', 'high', 'critical'] as const;

/** Severity of an alert. */
export type AlertSeverity = (typeof alertSeverities)[number];

/** Format of a payload (G-4.12-3). */
export type PayloadFormat = 'custom' | 'metrics';

/** An attribute of a payload without a field of its own: nested names joined by `/`, the value as text. */
export interface AlertAttribute {
  /** At most 255 characters. */
  readonly name: string;
  /** At most 1,000 characters. */
  readonly value: string;
}

/** What one item of a payload reports: within the lengths of G-4.12-9, and text that PostgreSQL can store. */
export interface ReportedAlert {
  /** True when it reports the end of an alert, false when it reports that one is firing. */
  readonly isEnd: boolean;
  /** 1 to 200 characters. */
  readonly title: string;
  /** At most 1,000 characters. */
  readonly description: string | undefined;
  readonly severity: AlertSeverity;
  /** At most 100 characters. */
  readonly service: string | undefined;
  /** At most 100 characters. */
  readonly monitoringTool: string | undefined;
  /** 255 characters together. */
  readonly hosts: readonly string[];
  /** SHA-1 in hex of what identifies the alert; undefined without a fingerprint. */
  readonly fingerprint: string | undefined;
  /** When it started, if the payload reports it. */
  readonly startsAt: Date | undefined;
  /** When it ended, if the payload reports it. */
  readonly endsAt: Date | undefined;
  readonly environment: string | undefined;
  readonly runbook: string | undefined;
  readonly incidentMarkdown: string | undefined;
  readonly query: string | undefined;
  readonly yLabel: string | undefined;
  readonly generatorUrl: string | undefined;
  /** Other attributes, in the order of the payload; at most 100. */
  readonly attributes: readonly AlertAttribute[];
  /** The item as JSON text; a custom payload exactly as received. */
  readonly payload: string;
}

/** Why an item was rejected: an attribute that a metrics payload lacks, or a refusal of the database. */
export type RejectionReason =
  | 'not_an_object'
  | 'title_missing'
  | 'starts_at_missing'
  | 'starts_at_invalid'
  | 'not_storable';

/** One item of a payload, read. */
export type PayloadItem =
  | { readonly kind: 'reported'; readonly alert: ReportedAlert }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly title: string | undefined };

/** A payload, read: its items in their order. */
export interface ReadPayload {
  readonly format: PayloadFormat;
  readonly items: readonly PayloadItem[];
}
