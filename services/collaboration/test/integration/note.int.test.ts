import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, guardWrites, openDatabase, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { noteEvents, publishStates } from '@switchyard/events';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { NoteableKey } from '../../src/noteables/domain/noteable';
import { noteableStore } from '../../src/noteables/storage/noteable.store';
import { limitNotes } from '../../src/notes/application/limit-notes';
import { discussionList } from '../../src/notes/storage/discussion.list';
import { noteStates } from '../../src/notes/storage/note.events';
import { noteList } from '../../src/notes/storage/note.list';
import { insertNote, newDiscussionId } from '../../src/notes/storage/note.store';
import { noteRateStore } from '../../src/notes/storage/note-rate.store';
import { records } from '../../src/project-records/records';
import { service } from '../../src/service';

const rows = 20_000;

let database: TestDatabase;
let db: Database;
const big: NoteableKey = { kind: 'MergeRequest', projectId: 5, targetId: 1, sha: '' };
const anonymous = { userId: 0, admin: false, external: false };
const other: NoteableKey = { kind: 'Commit', projectId: 5, targetId: 0, sha: 'a'.repeat(40) };

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'note test' });
  const { id } = await db.transaction((tx) => noteableStore.lock(tx, big));
  await db.query(sql`
    insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, system, internal, created_at, updated_at)
    select ${id}, 5, decode(lpad(to_hex(n), 40, '0'), 'hex'), true, case n % 3 when 0 then 'DiscussionNote' end, 1 + n % 9, 'note ' || n,
      n % 5 = 1, n % 50 = 0, now() - n * interval '1 minute', now() - (n * 7919 % ${rows}) * interval '1 minute'
    from generate_series(1, ${rows}) n`);
  await db.query(sql`vacuum analyze notes`);
});

afterAll(async () => {
  await db.close();
  await database.close();
});

/** The statements of one call, explained: what they read and how. */
async function plansOf(work: (recorder: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const recorder: Database = {
    ...db,
    async query(query) {
      if (/^\s*select(?! count)/.test(query.text)) {
        const plan = await db.query<{ 'QUERY PLAN': string }>(explained(query));
        plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
      }
      return db.query(query);
    },
  };
  await work(recorder);
  return plans;
}

function explained(query: ReturnType<typeof sql>): ReturnType<typeof sql> {
  const [first = '', ...rest] = query.strings;
  return sql([`explain (analyze, timing off) ${first}`, ...rest] as unknown as TemplateStringsArray, ...query.values);
}

const request = (given: Partial<PageRequest>): PageRequest => ({
  mode: 'keyset',
  page: 1,
  perPage: 20,
  orderBy: 'created_at',
  sort: 'desc',
  ...given,
});

describe('notes in the database', () => {
  it.each([
    ['created_at', 'desc', 'all_notes'],
    ['created_at', 'asc', 'all_notes'],
    ['updated_at', 'desc', 'all_notes'],
    ['updated_at', 'asc', 'all_notes'],
    ['created_at', 'desc', 'only_activity'],
    ['updated_at', 'desc', 'only_comments'],
  ] as const)('are listed by %s %s, %s, through one walk of an index', async (orderBy, sort, filter) => {
    let cursor: string | undefined;
    const plans = await plansOf(async (recorder) => {
      for (let pages = 0; pages < 3; pages += 1) {
        const { rows: found, page } = await noteList(recorder).page(
          big,
          { filter, internal: false },
          request({ orderBy, sort, cursor }),
        );
        expect(found).toHaveLength(20);
        cursor = page.nextCursor;
      }
    });
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toMatch(/Index Scan( Backward)? using notes_list_/);
      expect(plan).not.toMatch(/Seq Scan on notes|Sort Method/);
    }
  });

  it('discussions are listed and found through indexes', async () => {
    const plans = await plansOf(async (recorder) => {
      const list = discussionList(recorder);
      const { rows: found } = (await list.page(big, { internal: true }, request({ sort: 'asc' })))!;
      expect(found).toHaveLength(20);
      expect(await list.find(big, found[0]!.id, anonymous)).toMatchObject({ id: found[0]!.id });
      expect(await list.find(other, found[0]!.id, anonymous)).toBeUndefined();
    });
    expect(plans[0]).toMatch(/using notes_discussions/);
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on notes');
  });

  it('an export reads the notes of its own project alone', async () => {
    for (const kind of ['notes', 'note_emoji']) {
      const ofKind = records[kind]?.(6) ?? sql`select 1`;
      const [plan] = await plansOf((recorder) =>
        recorder.query(sql`select r.id from (${ofKind}) r where r.id > ${0} order by r.id limit 100`),
      );
      expect(plan).toContain('notes_of_project');
      expect(plan).not.toMatch(/Seq Scan on notes|notes_pkey/);
    }
  });

  it('discussions whose notes are too long together are not read at all', async () => {
    const key: NoteableKey = { ...other, sha: 'c'.repeat(40) };
    const { id } = await db.transaction((tx) => noteableStore.lock(tx, key));
    await db.query(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
      select ${id}, 5, decode(lpad(to_hex(n), 40, 'c'), 'hex'), true, 1, repeat('x', 4000000) from generate_series(1, 101) n`);
    const page = (perPage: number) =>
      discussionList(db).page(key, { internal: true }, request({ perPage, sort: 'asc' }));
    expect(await page(101)).toBeUndefined();
    expect((await page(2))?.rows).toHaveLength(2);
  });

  it('new discussions get ids that stand behind the older ones', () => {
    const at = (iso: string) => newDiscussionId(new Date(iso)).toString('hex');
    expect(at('2026-01-01T00:00:00Z')).toMatch(/^[0-9a-f]{40}$/);
    expect(at('2026-01-01T00:00:00Z') < at('2026-01-01T00:00:00.001Z')).toBe(true);
  });

  it('that are internal are counted by the migration; counts and reactions are sent to the owner of the merge request', async () => {
    const before = await noteableStore.counters(db, big);
    const fill = readFileSync(
      join(__dirname, '../../prisma/migrations/20261205010000_internal_notes_counted/migration.sql'),
      'utf8',
    );
    await db.pool.query(fill);
    const counted = { version: (before?.version ?? 0) + 1, internalNotesCount: rows / 50 };
    expect(await noteableStore.counters(db, big)).toMatchObject(counted);
    await db.query(
      sql`insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('MergeRequest', ${big.targetId}, 'star', 1)`,
    );
    expect(await publishStates({ db, event: noteEvents, read: noteStates })).toBe(1);
    const published = await db.query<{ body: { noteable: object; counters: object; reactions: object[] } }>(
      sql`select body from events.outbox where type = 'note.changed'`,
    );
    expect(published.map(({ body }) => [body.noteable, body.counters, body.reactions])).toMatchObject([
      [{ kind: 'MergeRequest', id: big.targetId }, { internalNotesCount: rows / 50 }, [{ userId: 1, name: 'star' }]],
    ]);
  });

  it('go with what carried them, in batches', async () => {
    const key: NoteableKey = { ...other, sha: 'b'.repeat(40) };
    await db.transaction(async (tx) => {
      const { id } = await noteableStore.lock(tx, key);
      for (let at = 0; at < 5; at += 1) {
        const note = await insertNote(tx, id, 5, {
          discussionId: undefined,
          type: undefined,
          authorId: 1,
          body: 'x',
          internal: false,
          position: undefined,
          resolvedById: undefined,
          at: new Date(),
        });
        await tx.query(
          sql`insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('Note', ${note}, 'star', 1)`,
        );
      }
    });
    await db.transaction((tx) => noteableStore.remove(tx, key));
    const list = noteList(db);
    expect((await list.page(key, { filter: 'all_notes', internal: true }, request({}))).rows).toEqual([]);
    let rounds = 0;
    while ((await noteableStore.emptyRemoved(db, 2)) > 0) rounds += 1;
    expect(rounds).toBeGreaterThan(2);
    expect(await db.query(sql`select 1 from award_emoji where awardable_type = 'Note'`)).toEqual([]);
    expect((await db.transaction((tx) => noteableStore.lock(tx, key))).removed).toBe(true);
    await db.query(sql`update noteables set removed_at = now() - interval '61 days' where removed_at is not null`);
    await noteableStore.forget(db);
    expect((await db.transaction((tx) => noteableStore.lock(tx, key))).removed).toBe(false);
  });
});

it('a user comments so often in a minute and not once more, whichever process is asked (G-4.6-10)', async () => {
  await db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot)
    values (71, 'Bot', 'Bot', 'active', false, false, true)`);
  const replicas = [1, 2].map(() =>
    limitNotes({ db, rates: noteRateStore(db), perMinute: 10, unlimited: new Set(['bot']) }),
  );
  const ask = (userId: number, times: number) =>
    Promise.allSettled(Array.from({ length: times }, (_, at) => replicas[at % 2]!(userId)));
  const refused = (await ask(70, 14)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(refused[0]).toMatchObject({ reason: { kind: 'rate_limited', retryAfter: 60 } });
  expect((await ask(71, 14)).every(({ status }) => status === 'fulfilled')).toBe(true);
  await db.query(sql`update note_rates set ends_at = now() - interval '1 second'`);
  const noteBegun = jest.fn();
  await guardWrites({ refuseLate: () => undefined, noteBegun }, () => replicas[0]!(70));
  expect(noteBegun).not.toHaveBeenCalled();
});
