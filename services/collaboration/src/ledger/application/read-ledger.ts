import type { Database, PageInfo, PageRequest } from '@switchyard/database';
import { groupByPath, projectByPath, usersByIds, usersByUsernames, type Viewer } from '@switchyard/directory';
import { badRequest, notFound } from '@switchyard/errors';
import { explain, nothingDecided } from '../domain/explanation';
import type { LedgerRow } from '../domain/ledger-entry';
import { cursorOf, type MergedPlace, merged, type Placed, placeBehind, placeOf } from '../domain/merged-page';
import { objectKeyOf, type SentEntry } from '../domain/sent-entry';
import { type FoundTarget, type WantedTarget, wantedTarget } from '../domain/wanted-target';
import type { LedgerList, SentEntries } from './ledger.ports';

/** An entry of a project, of either part. */
export type ProjectEntry = Placed & ({ readonly own: LedgerRow } | { readonly sentOut: SentEntry });

/** An explanation: what was asked about, and sentences, the newest first. */
export interface Explanation {
  readonly target: string;
  readonly userId: number;
  readonly entries: readonly { readonly row: LedgerRow; readonly text: string }[];
  /** One text for all of it. */
  readonly summary: string;
}

/** Entries of one call to each part: one more than a page has at the most, which shows whether there is another. */
const chunk = 101;

/** Entries that pages by number reach: further ones need a cursor. */
const maxByNumber = 1_000;

/** Target of a path or number that is not there: no entry is about it. */
const nowhere: FoundTarget = { type: '', id: -1 };

/** What reading needs. */
export interface LedgerEdges {
  readonly db: Database;
  readonly list: LedgerList;
  readonly sent: SentEntries;
  /** Id of an issue or merge request by its number, as far as entries know it; undefined for none. */
  readonly idOf: (projectId: number, type: string, iid: number) => Promise<number | undefined>;
}

/** Builds the readings of the ledger. */
export function readLedger({ db, list, sent, idOf }: LedgerEdges) {
  async function found(wanted: WantedTarget | undefined, projectId: number): Promise<FoundTarget | undefined> {
    if (wanted === undefined || 'id' in wanted) return wanted;
    if (wanted.type === 'Epic') {
      const groupId = await groupByPath(db, wanted.path);
      return groupId === undefined ? nowhere : { type: wanted.type, groupId, iid: wanted.iid };
    }
    const project = wanted.path === '' ? projectId : ((await projectByPath(db, wanted.path))?.id ?? 0);
    return project === 0 ? nowhere : { type: wanted.type, projectId: project, iid: wanted.iid };
  }

  async function keyOf(target: FoundTarget | undefined): Promise<string> {
    if (target === undefined) return '';
    // Epics lie in no project: nothing of a project is about one.
    if ('groupId' in target) return objectKeyOf('', -1);
    const id = 'id' in target ? target.id : await idOf(target.projectId, target.type, target.iid);
    return objectKeyOf(target.type, id ?? -1);
  }

  async function entriesOf(
    projectId: number,
    target: FoundTarget | undefined,
    place: MergedPlace | undefined,
    limit: number,
  ): Promise<ProjectEntry[]> {
    const objectKey = await keyOf(target);
    const [own, others] = await Promise.all([
      list.ofProject(projectId, { target, before: place && { at: place.at, id: place.own }, limit }),
      sent.ofProject(projectId, { objectKey, before: place && { at: place.at, id: place.sent }, limit }),
    ]);
    return merged<ProjectEntry>(
      own.map((row) => ({ part: 'own', id: row.id, at: row.createdAt, own: row })),
      others.map((entry) => ({ part: 'sent', id: entry.id, at: entry.createdAt, sentOut: entry })),
    ).slice(0, limit);
  }

  /** A page by number: entries are read from the newest on, so the number is bounded. */
  async function byNumber(projectId: number, target: FoundTarget | undefined, { page, perPage }: PageRequest) {
    const last = page * perPage;
    if (last > maxByNumber) throw badRequest('pages by number end at 1,000 entries: use pagination=keyset');
    const all: ProjectEntry[] = [];
    // Whether there may be entries behind those that were read.
    let isFull = true;
    for (let place: MergedPlace | undefined; all.length <= last && isFull; ) {
      const next = await entriesOf(projectId, target, place, chunk);
      all.push(...next);
      isFull = next.length === chunk;
      place = placeBehind(next, place);
    }
    const rows = all.slice((page - 1) * perPage, page * perPage);
    return { rows, page: { page, perPage, hasNext: all.length > last } satisfies PageInfo };
  }

  const explanation = (
    target: string,
    userId: number,
    rows: readonly LedgerRow[],
    name: string | undefined,
  ): Explanation => {
    const person = { subject: name ?? 'You', second: name === undefined };
    const entries = rows.map((row) => ({ row, text: explain(row, person) }));
    return { target, userId, entries, summary: entries[0]?.text ?? nothingDecided(person) };
  };

  return {
    /** Entries of a user. */
    own: async (
      viewer: Viewer,
      {
        target,
        ...filter
      }: { readonly target: string; readonly after?: Date | undefined; readonly before?: Date | undefined },
      request: PageRequest,
    ) => list.own(viewer, { ...filter, target: await found(wantedTarget(target), 0) }, request),

    /** Entries of a project, of both parts. */
    async ofProject(
      projectId: number,
      text: string,
      request: PageRequest,
    ): Promise<{ rows: ProjectEntry[]; page: PageInfo }> {
      const target = await found(wantedTarget(text), projectId);
      if (request.mode === 'offset') return byNumber(projectId, target, request);
      const place = placeOf(request.cursor);
      const all = await entriesOf(projectId, target, place, request.perPage + 1);
      const rows = all.slice(0, request.perPage);
      const behind = placeBehind(rows, place);
      const hasNext = all.length > rows.length;
      const nextCursor = hasNext && behind !== undefined ? { nextCursor: cursorOf(behind) } : {};
      return { rows, page: { page: 1, perPage: request.perPage, hasNext, ...nextCursor } };
    },

    /** Why a user was notified of something or not, for that user. */
    async explainOwn(viewer: Viewer, text: string): Promise<Explanation> {
      const target = (await found(wantedTarget(text), 0)) ?? nowhere;
      return explanation(text, viewer.userId, await list.about(viewer.userId, target, viewer), undefined);
    },

    /** The same about a user of a project, for its Maintainers. */
    async explainForUser(projectId: number, text: string, given: string): Promise<Explanation> {
      const byName = (await usersByUsernames(db, [given])).get(given.toLowerCase());
      const id = /^\d{1,15}$/.test(given) ? Number(given) : 0;
      const user = byName ?? (await usersByIds(db, [id])).get(id);
      if (user === undefined || (byName === undefined && user.id !== id)) throw notFound('User');
      const target = (await found(wantedTarget(text), projectId)) ?? nowhere;
      const rows = (await list.about(user.id, target, undefined)).filter((row) => row.projectId === projectId);
      return explanation(text, user.id, rows, user.name);
    },
  };
}

/** What `readLedger` gives. */
export type LedgerUseCases = ReturnType<typeof readLedger>;
