/** What bringing a projection to its rebuilt state changed. */
export interface Reconciled {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** What a rebuild found and changed. */
export type Rebuilt = Reconciled & { readonly events: number };

/** The bus holds nothing any more. */
export const nothingRebuilt: Rebuilt = { events: 0, added: 0, changed: 0, removed: 0 };

/**
 * The bus drops records topic by topic: right behind its oldest record one topic may have been cut and another not.
 * What happened within this many milliseconds of it is added and changed, but not removed.
 */
const unsure = 3_600_000;

/** From when on a rebuild may remove what is not among the events. */
export const certainFrom = (oldest: Date): Date => new Date(oldest.getTime() + unsure);

/** The line that reports to the operator what a rebuild changed. */
export const reportOf = (projection: string, { events, added, changed, removed }: Rebuilt): string =>
  `${projection}: ${events} events read; ${added} added, ${changed} changed, ${removed} removed`;
