import type { Database } from '@switchyard/database';
import type { LedgerRow } from '../domain/ledger-entry';
import type { SentEntry } from '../domain/sent-entry';
import type { LedgerList } from './ledger.ports';
import { readLedger } from './read-ledger';

/** Entries of one part, the newest first; each has a second of its own. */
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: count - at, createdAt: new Date((count - at) * 1_000) }));

/** A ledger of which the two parts have so many entries, with the calls that it took to read it. */
function ledgerOf(own: number, sent: number) {
  const calls: number[] = [];
  const part = (rows: readonly { readonly id: number; readonly createdAt: Date }[]) => ({
    ofProject: async (
      _projectId: number,
      {
        before,
        limit,
      }: { readonly before: { readonly at: Date; readonly id: number } | undefined; readonly limit: number },
    ) => {
      calls.push(limit);
      const isBehind = ({ id, createdAt }: { readonly id: number; readonly createdAt: Date }): boolean =>
        before === undefined ||
        createdAt < before.at ||
        (createdAt.getTime() === before.at.getTime() && id < before.id);
      return rows.filter(isBehind).slice(0, limit);
    },
  });
  const ledger = readLedger({
    db: {} as Database,
    list: part(entries(own) as unknown as LedgerRow[]) as unknown as LedgerList,
    sent: part(entries(sent)) as unknown as { ofProject: () => Promise<SentEntry[]> },
    idOf: async () => undefined,
  });
  return { ledger, calls };
}

it.each([
  { own: 0, sent: 0 },
  { own: 100, sent: 0 },
  { own: 0, sent: 100 },
  { own: 0, sent: 101 },
  { own: 50, sent: 50 },
  { own: 101, sent: 99 },
  { own: 150, sent: 151 },
])('pages by number and by cursor end with the last of $own and $sent entries', async ({ own, sent }) => {
  const total = own + sent;
  for (const perPage of [20, 50, 100]) {
    const { ledger, calls } = ledgerOf(own, sent);
    const pages = Math.max(1, Math.ceil(total / perPage));
    let cursor: string | undefined;
    for (let page = 1; page <= pages; page += 1) {
      const shown = Math.min(perPage, total - (page - 1) * perPage);
      const byNumber = await ledger.ofProject(1, '', { mode: 'offset', page, perPage, cursor: undefined } as never);
      expect([page, byNumber.rows.length, byNumber.page.hasNext]).toEqual([page, shown, page < pages]);
      // One call to each part, whatever the first page shows.
      if (page === 1) expect(calls).toHaveLength(2);
      const byCursor = await ledger.ofProject(1, '', { mode: 'keyset', page: 1, perPage, cursor } as never);
      expect(byCursor.rows).toEqual(byNumber.rows);
      expect(byCursor.page.hasNext).toBe(page < pages);
      cursor = byCursor.page.nextCursor;
    }
    expect(cursor).toBeUndefined();
  }
});
