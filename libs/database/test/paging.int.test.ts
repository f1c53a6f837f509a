import { isAppError } from '@switchyard/errors';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import fc from 'fast-check';
import {
  countStatements,
  type Database,
  type ListQuery,
  listPage,
  type OrderColumn,
  openDatabase,
  type PageRequest,
} from '../src';
import { sql } from '../src/sql';

interface Item {
  id: number;
  name: string;
  rank: number | null;
  due: Date | null;
}

const id: OrderColumn = { name: 'id', expression: sql`i.id`, type: 'bigint' };
const orders: Record<string, OrderColumn[]> = {
  id: [id],
  name: [{ name: 'name', expression: sql`lower(i.name)`, type: 'text' }, id],
  rank: [{ name: 'rank', expression: sql`i.rank`, type: 'integer', nullable: true }, id],
  rank_first: [{ name: 'rank', expression: sql`i.rank`, type: 'integer', nullable: true, nulls: 'first' }, id],
  rank_last: [{ name: 'rank', expression: sql`i.rank`, type: 'integer', nullable: true, nulls: 'last' }, id],
  due: [{ name: 'due', expression: sql`i.due`, type: 'timestamptz', nullable: true, nulls: 'last' }, id],
  made: [{ name: 'made', expression: sql`i.made`, type: 'timestamptz' }, id],
  mixed: [
    { name: 'rank', expression: sql`coalesce(i.rank, 0)`, type: 'integer', direction: 'desc' },
    { name: 'name', expression: sql`i.name`, type: 'text' },
    id,
  ],
};

let home: TestDatabase;
let db: Database;

beforeAll(async () => {
  home = await testDatabase();
  db = openDatabase({ url: home.url, applicationName: 'test' });
  await db.query(sql`
    create table items (id bigint primary key, name text not null, rank int, due timestamptz, made timestamptz not null default clock_timestamp())`);
});

afterAll(async () => {
  await db.close();
  await home.close();
});

async function fill(items: Omit<Item, 'id'>[]): Promise<void> {
  await db.query(sql`truncate items`);
  await db.query(sql`
    insert into items (id, name, rank, due)
    select position, name, rank, due
    from unnest(${items.map((item) => item.name)}::text[], ${items.map((item) => item.rank)}::int[], ${items.map((item) => item.due)}::timestamptz[])
      with ordinality as given (name, rank, due, position)`);
}

const list = (request: Partial<PageRequest>, more: Partial<ListQuery> = {}) =>
  listPage<Item>({
    db,
    name: 'list_items',
    select: sql`i.id, i.name, i.rank, i.due`,
    from: sql`items i`,
    where: [],
    orders,
    request: { mode: 'offset', page: 1, perPage: 20, orderBy: 'id', sort: 'asc', ...request },
    count: true,
    ...more,
  });

const plain = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}`, rank: n % 3, due: null }));
const cursorOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

test('offset pages carry the total, and say whether another follows', async () => {
  await fill(plain(45));
  const first = await list({ perPage: 20 });
  expect(first.page).toEqual({ page: 1, perPage: 20, total: 45, hasNext: true });
  expect(first.rows.map((row) => row.id)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  const last = await list({ perPage: 20, page: 3 });
  expect(last.rows).toHaveLength(5);
  expect(last.page.hasNext).toBe(false);
  expect(await list({ perPage: 20, page: 4 })).toEqual({
    rows: [],
    page: { page: 4, perPage: 20, total: 45, hasNext: false },
  });
});

test('a page beyond all sense is empty and no error', async () => {
  await fill(plain(3));
  expect(await list({ page: 1e30 })).toMatchObject({ rows: [], page: { total: 3, hasNext: false } });
});

test('the total of more than 10,000 rows is left out, and that of exactly 10,000 is not (G-1-23)', async () => {
  await fill(plain(10_001));
  expect((await list({})).page).toEqual({ page: 1, perPage: 20, hasNext: true });
  expect((await list({}, { where: [sql`i.id <= ${10_000}`] })).page.total).toBe(10_000);
});

test('a page costs the same statements whatever its length', async () => {
  const costs = async () => [
    (await countStatements(() => list({ perPage: 100 }))).statements,
    (await countStatements(() => list({ perPage: 100 }, { count: false }))).statements,
    (await countStatements(() => list({ perPage: 100, mode: 'keyset' }))).statements,
  ];
  await fill(plain(2));
  const few = await costs();
  await fill(plain(100));
  expect(await costs()).toEqual(few);
  expect(few).toEqual([2, 1, 1]);
});

test('conditions are bound and combined with and', async () => {
  await fill(plain(10));
  const hostile = "x' or 1 = 1 --";
  expect(
    (await list({}, { where: [sql`i.name = ${hostile} or i.name = 'n1'`, sql`i.rank = 1`] })).rows.map(
      (row) => row.name,
    ),
  ).toEqual(['n1']);
});

test('keyset pages of any order join to the whole list, forwards and backwards, with duplicates and nulls', async () => {
  const item = fc.record({
    name: fc.constantFrom('a', 'A', 'b', 'B', 'é', '', 'quote"\'\\', '🚂'),
    rank: fc.option(fc.integer({ min: -2, max: 2 })),
    due: fc.option(
      fc.constantFrom(new Date('2024-01-01T00:00:00.001Z'), new Date('1999-12-31T23:59:59.999Z'), new Date(0)),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 25 }),
      fc.constantFrom(...Object.keys(orders)),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.integer({ min: 1, max: 6 }),
      async (items, orderBy, sort, perPage) => {
        await fill(items);
        const whole = (await list({ orderBy, sort, perPage: 100 })).rows.map((row) => row.id);
        const request = { mode: 'keyset' as const, orderBy, sort, perPage };
        const forwards: number[][] = [];
        const backwards: number[][] = [];
        let page = await list(request);
        expect(page.page.prevCursor).toBeUndefined();
        for (;;) {
          forwards.push(page.rows.map((row) => row.id));
          expect(Object.keys(page.rows[0] ?? { id, name: 0, rank: 0, due: 0 })).toEqual(['id', 'name', 'rank', 'due']);
          expect(page.page.hasNext).toBe(page.page.nextCursor !== undefined);
          if (page.page.nextCursor === undefined) break;
          page = await list({ ...request, cursor: page.page.nextCursor });
        }
        expect(forwards.flat()).toEqual(whole);
        while (page.page.prevCursor !== undefined) {
          page = await list({ ...request, cursor: page.page.prevCursor });
          backwards.unshift(page.rows.map((row) => row.id));
        }
        expect([...backwards, forwards.at(-1) ?? []].flat()).toEqual(whole);
      },
    ),
    { numRuns: 150 },
  );
});

test('microseconds of a timestamp are not lost on the way through a cursor', async () => {
  await fill(plain(3));
  await db.query(sql`update items set made = timestamptz '2024-01-01T00:00:00Z' + id * interval '1 microsecond'`);
  const first = await list({ mode: 'keyset', orderBy: 'made', perPage: 1 });
  const second = await list({ mode: 'keyset', orderBy: 'made', perPage: 1, cursor: first.page.nextCursor });
  expect([...first.rows, ...second.rows].map((row) => row.id)).toEqual([1, 2]);
});

test('a malformed, forged or foreign cursor is refused as a bad request', async () => {
  await fill(plain(5));
  const cursors = [
    'no!',
    cursorOf('text'),
    cursorOf([1]),
    cursorOf({}),
    cursorOf({ id: '1' }),
    cursorOf({ id: 1, _kd: 'n' }),
    cursorOf({ id: null, _kd: 'n' }),
    cursorOf({ id: '1; drop table items', _kd: 'n' }),
    cursorOf({ id: '1', _kd: 'x' }),
    cursorOf({ id: '1', more: '1', _kd: 'n' }),
    cursorOf({ name: 'a', _kd: 'n' }),
    cursorOf({ __proto__: { id: '1' }, _kd: 'n', x: '1' }),
    cursorOf({ id: '9'.repeat(40), _kd: 'n' }),
    'a'.repeat(10_000),
  ];
  for (const cursor of cursors) {
    const error = await list({ mode: 'keyset', cursor }).catch((failure: unknown) => failure);
    expect([cursor, isAppError(error, 'bad_request')]).toEqual([cursor, true]);
  }
  const dates = [
    cursorOf({ due: '2024-02-31 00:00:00+00', id: '1', _kd: 'n' }),
    cursorOf({ due: 'infinity', id: '1', _kd: 'n' }),
  ];
  for (const cursor of dates) {
    const error = await list({ mode: 'keyset', orderBy: 'due', cursor }).catch((failure: unknown) => failure);
    expect(isAppError(error, 'bad_request')).toBe(true);
  }
});

test('an order that is not offered is refused, also under the name of an object method', async () => {
  for (const orderBy of ['rank; drop table items', 'constructor', '__proto__']) {
    const error = await list({ orderBy }).catch((failure: unknown) => failure);
    expect(isAppError(error, 'invalid_params')).toBe(true);
  }
});

test('a page in the middle of many rows reads one range of the index', async () => {
  await fill(Array.from({ length: 20_000 }, (_, n) => ({ name: `n${n}`, rank: n % 100, due: null })));
  await db.query(sql`create index if not exists items_rank on items (rank, id)`);
  await db.query(sql`analyze items`);
  let plan = '';
  await list(
    { mode: 'keyset', orderBy: 'rank_plain', cursor: cursorOf({ rank: '50', id: '10050', _kd: 'n' }) },
    {
      orders: { rank_plain: [{ name: 'rank', expression: sql`i.rank`, type: 'integer' }, id] },
      db: {
        async query<T>(query: ReturnType<typeof sql>) {
          const rows = await db.query<{ 'QUERY PLAN': string }>(sql`explain (analyze, buffers) ${query}`);
          plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          return [] as T[];
        },
      },
    },
  );
  expect(plan).toMatch(/Index.* Scan using items_rank/);
  expect(plan).not.toMatch(/Rows Removed by Filter: \d{2,}/);
});

test('a list that searches is planned for its values every time, others are prepared', async () => {
  await fill([{ name: 'ada', rank: 1, due: null }]);
  const one = openDatabase({ url: home.url, applicationName: 'test', poolSize: 1 });
  try {
    for (const searches of [true, false]) {
      const name = `list_${searches ? 'searching' : 'plain'}`;
      await list({}, { db: one, name, searches, where: [sql`i.name ilike ${'%d%'} and ${name} <> ''`] });
    }
    const prepared = await one.query<{ name: string }>(
      sql`select name from pg_prepared_statements where name like 'list_%' order by name`,
    );
    expect(prepared.map(({ name }) => name.replace(/_\d+$/, ''))).toEqual(['list_plain', 'list_plain_count']);
  } finally {
    await one.close();
  }
});

test('a list that begins at few rows, or at many, is the list that does not, page by page', async () => {
  const item = fc.record({
    name: fc.constantFrom('ada', 'Ada', 'bob'),
    rank: fc.option(fc.integer({ min: 0, max: 3 })),
    due: fc.constant(null),
  });
  const wanted = fc.record({
    orderBy: fc.constantFrom(...Object.keys(orders)),
    sort: fc.constantFrom('asc' as const, 'desc' as const),
    perPage: fc.integer({ min: 1, max: 5 }),
    few: fc.integer({ min: 0, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 20 }), wanted, async (items, { few, ...request }) => {
      await fill(items);
      const where = [sql`i.rank is not null`, sql`i.name = ${'ada'}`];
      const begin = {
        id: sql`i.id`,
        at: [
          sql`select g.id from items g where g.name = 'ada'`,
          sql`select g.id from items g, (values (1), (2)) v where g.rank is not null`,
        ],
        few,
      };
      for (const mode of ['offset', 'keyset'] as const) {
        const pages = async (more: Partial<ListQuery>) => {
          const found: unknown[] = [];
          let cursor: string | undefined;
          let page = 1;
          for (let further = true; further; page += 1) {
            const one = await list({ ...request, mode, page, cursor }, { where, ...more });
            found.push(one);
            cursor = one.page.nextCursor;
            further = one.page.hasNext;
          }
          return found;
        };
        expect(await pages({ begin })).toEqual(await pages({}));
      }
    }),
    { numRuns: 40 },
  );
});

test('the usual pages of a steady list keep one plan', async () => {
  await fill(plain(300));
  await db.query(sql`analyze items`);
  const one = openDatabase({ url: home.url, applicationName: 'test', poolSize: 1 });
  try {
    for (const steady of [true, false]) {
      for (let at = 0; at < 8; at += 1)
        await list({ mode: 'keyset' }, { db: one, name: `list_${steady}`, steady, where: [sql`${steady}`] });
    }
    const kept = await one.query<{ name: string; limit: boolean }>(sql`
      select name, statement like '%limit 21%' as limit from pg_prepared_statements where name like 'list_%' order by name desc`);
    expect(kept.map(({ limit }) => limit)).toEqual([true, false]);
  } finally {
    await one.close();
  }
});
