import fc from 'fast-check';
import type { ItemOutcome } from '../../alerts';
import type { PayloadItem } from '../../payloads';
import { decideBatch, type ReceivedPayload, type StoredAlert, type StoredEnd } from './alert-batch';

const minute = (at: number): Date => new Date(Date.UTC(2026, 2, 1, 0, at));

/** The rows that batches leave behind, as far as the next one reads them. */
class Rows {
  readonly lastIids = new Map<number, number>();
  readonly alerts = new Map<string, { row: StoredAlert; events: number; endedAt: Date | undefined }>();
  readonly ends = new Map<string, StoredEnd>();
  private lastId = 0;

  work(payloads: readonly ReceivedPayload[]): ItemOutcome[][] {
    const open = [...this.alerts.values()].filter(({ row }) => row.status !== 'resolved').map(({ row }) => row);
    const batch = decideBatch(payloads, {
      lastIids: new Map(payloads.map(({ projectId }) => [projectId, this.lastIids.get(projectId) ?? 0])),
      open: open.filter(({ fingerprint }) => fingerprint !== ''),
      ends: [...this.ends.values()],
    });
    for (const [projectId, iid] of batch.lastIids) this.lastIids.set(projectId, iid);
    for (const { stored, raised, projectId, iid, title, counted, lastStart, resolved } of batch.alerts) {
      const key = `${projectId}:${iid}`;
      const before = this.alerts.get(key);
      expect(before === undefined).toBe(stored === undefined);
      this.lastId += stored === undefined ? 1 : 0;
      const row: StoredAlert = {
        id: stored?.id ?? this.lastId,
        projectId,
        iid,
        title,
        severity: 'low',
        status: resolved === undefined ? (stored?.status ?? 'triggered') : 'resolved',
        version: 1,
        issueIid: undefined,
        fingerprint: stored?.fingerprint ?? raised?.by.fingerprint ?? '',
        lastStart,
      };
      this.alerts.set(key, { row, events: (before?.events ?? 0) + counted, endedAt: resolved?.endedAt });
    }
    for (const end of batch.ends) this.ends.set(`${end.projectId}:${end.fingerprint}`, end);
    return batch.outcomes.map((items) => [...items]);
  }

  /** What is stored, without the ids that the rows happen to have. */
  get content(): unknown {
    return {
      alerts: [...this.alerts]
        .sort()
        .map(([key, { row, events, endedAt }]) => ({ key, ...row, id: 0, events, endedAt })),
      ends: [...this.ends].sort(),
      lastIids: [...this.lastIids].sort(),
    };
  }
}

const when = fc.option(fc.integer({ min: 0, max: 30 }).map(minute), { nil: undefined });

const item: fc.Arbitrary<PayloadItem> = fc.oneof(
  { arbitrary: fc.constant<PayloadItem>({ kind: 'rejected', reason: 'title_missing', title: undefined }), weight: 1 },
  {
    arbitrary: fc
      .record({
        isEnd: fc.boolean(),
        fingerprint: fc.constantFrom('a', 'b', undefined),
        startsAt: when,
        endsAt: when,
      })
      .map((alert): PayloadItem => ({ kind: 'reported', alert: { title: 't', severity: 'low', ...alert } as never })),
    weight: 9,
  },
);

const payloads: fc.Arbitrary<ReceivedPayload[]> = fc
  .array(fc.record({ projectId: fc.integer({ min: 1, max: 2 }), items: fc.array(item, { maxLength: 4 }) }), {
    maxLength: 8,
  })
  .map((all) => all.map((one, at) => ({ ...one, receivedAt: minute(20 + at) }) as never));

describe('payloads', () => {
  it('come to the same in one transaction as in one each', () => {
    fc.assert(
      fc.property(payloads, (all) => {
        const together = new Rows();
        const apart = new Rows();
        expect(together.work(all)).toEqual(all.flatMap((one) => apart.work([one])));
        expect(together.content).toEqual(apart.content);
      }),
      { numRuns: 500 },
    );
  });

  it('leave one unresolved alert of a fingerprint at the most, numbers without gaps, and an outcome for every item', () => {
    fc.assert(
      fc.property(payloads, (all) => {
        const rows = new Rows();
        const outcomes = rows.work(all);
        expect(outcomes.map((items) => items.length)).toEqual(all.map(({ items }) => items.length));
        const stored = [...rows.alerts.values()];
        const open = stored.filter(({ row }) => row.status !== 'resolved' && row.fingerprint !== '');
        expect(new Set(open.map(({ row }) => `${row.projectId}:${row.fingerprint}`)).size).toBe(open.length);
        for (const projectId of [1, 2]) {
          const iids = stored.filter(({ row }) => row.projectId === projectId).map(({ row }) => row.iid);
          expect(iids.sort((a, b) => a - b)).toEqual(iids.map((_, at) => at + 1));
        }
        const count = (wanted: string) => outcomes.flat().filter(({ outcome }) => outcome === wanted).length;
        expect(stored).toHaveLength(count('created'));
        expect(stored.reduce((sum, { events }) => sum + events, 0)).toBe(count('created') + count('counted'));
        expect(stored.filter(({ row }) => row.status === 'resolved')).toHaveLength(count('resolved'));
      }),
      { numRuns: 500 },
    );
  });
});
