import { badRequest, invalidParams } from '@switchyard/errors';
import type { SqlExecutor } from './database';
import { sqlState } from './errors';
import { empty, join, named, plannedEachTime, raw, type Sql, sql } from './statement';

/** Rows a total is given for (G-1-23); a count reads one row more and stops. */
export const totalLimit = 10_000;

/** Which page of a list is wanted (G-1-20, G-1-30). */
export interface PageRequest {
  mode: 'offset' | 'keyset';
  /** From 1; offset mode only. */
  page: number;
  /** 1 to 100. */
  perPage: number;
  /** Keyset mode: the cursor of an earlier reply; the first page without one. */
  cursor?: string;
  /** A key of the list's `orders`. */
  orderBy: string;
  sort: 'asc' | 'desc';
}

/** Where a page lies in its list. */
export interface PageInfo {
  page: number;
  perPage: number;
  /** Rows of the whole list; undefined above 10,000 (G-1-23), in keyset mode, and where the list does not count. */
  total?: number;
  hasNext: boolean;
  /** Keyset mode: cursor of the following page, undefined on the last. */
  nextCursor?: string;
  /** Keyset mode: cursor of the page before, undefined on the first. */
  prevCursor?: string;
}

type ColumnType = 'bigint' | 'integer' | 'timestamptz' | 'date' | 'text' | 'numeric' | 'boolean';

/** One column of an order. */
export interface OrderColumn {
  /** Its name inside the cursor. */
  name: string;
  /** Column or expression; written by the list, never taken from a request. */
  expression: Sql;
  type: ColumnType;
  /** True when it can be null; `id` cannot. */
  nullable?: boolean;
  /** Where nulls stand; default PostgreSQL's own: last when ascending, first when descending. The index must agree. */
  nulls?: 'first' | 'last';
  /** A fixed direction; default the direction of the request. */
  direction?: 'asc' | 'desc';
}

/** An order in which rows without a value come last, whatever its direction. */
export const emptyLast = (name: string, type: OrderColumn['type'], expression: Sql): OrderColumn => ({
  name,
  type,
  expression,
  nullable: true,
  nulls: 'last',
});

/**
 * A list: `select <select> from <from> where <where> order by …`, one statement a page, plus one capped count in offset
 * mode.
 */
export interface ListQuery {
  db: SqlExecutor;
  /** Name for metrics and prepared statements, e.g. `list_merge_requests`. */
  name: string;
  select: Sql;
  from: Sql;
  /** Conditions, all of which must hold; visibility belongs here. */
  where: Sql[];
  /** Accepted `order_by` values, each ending in the column named `id`. */
  orders: Record<string, OrderColumn[]>;
  request: PageRequest;
  /** Whether offset mode counts. */
  count: boolean;
  /**
   * True when a condition searches in texts, or when its value decides how many rows it leaves of a large table: such a
   * list is planned for its values every time, not prepared.
   */
  searches?: boolean;
  /** Read by the count instead of `from`, when `from` joins tables that do not change the number of rows. */
  countFrom?: Sql;
  /**
   * Tables whose rows each have a sorted list that is part of this one; `from` and `where` may name them. The list of
   * each is read from its own index as far as the page needs, so the cost depends on the number of lists, not on the
   * rows after the page.
   */
  each?: Sql;
  /**
   * One plan is right for all values of the conditions: the usual limits are written out, so that PostgreSQL keeps the
   * plan. Of a limit that it does not know it expects a tenth of all rows, and plans a wide list anew for each request,
   * which takes longer than reading a page.
   */
  steady?: boolean;
  /** Where the list may begin instead of walking its order (ADR 42). Not together with `each`. */
  begin?: Beginnings;
}

/** Selects of which each holds every row of a list, read from an index that the order of the list knows nothing of. */
export interface Beginnings {
  /** The id of a row in `from`. */
  id: Sql;
  /**
   * Selects of one column `id`; an id may come more than once. The rows are read from the first that gives no more than
   * `few`, and sorted; where each gives more, the list is walked in its order.
   */
  at: readonly Sql[];
  /** Default 1,000. */
  few?: number;
  /** A select with one row for each row of the list, which is counted instead. */
  count?: Sql;
}

/**
 * Most ids that a list begins at. Sorting a thousand rows costs a millisecond, as does walking an order of 100,000 in
 * which a thousand match until a page of 20 is full.
 */
const fewLimit = 1_000;

interface Column extends OrderColumn {
  descending: boolean;
  nullsFirst: boolean;
}

type CursorValue = string | null;

const valuePatterns: Record<ColumnType, RegExp> = {
  bigint: /^-?\d{1,18}$/,
  integer: /^-?\d{1,9}$/,
  timestamptz: /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/,
  date: /^\d{4,6}-\d\d-\d\d$/,
  numeric: /^-?\d{1,40}(\.\d{1,40})?$/,
  boolean: /^(true|false)$/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL's text holds everything but NUL
  text: /^[^\u0000]*$/,
};

/** Longest cursor accepted: a text column of some length, but not a megabyte of JSON. */
const maxCursorLength = 8_192;

function columnsOf({ orders, request }: ListQuery): Column[] {
  const columns = Object.hasOwn(orders, request.orderBy) ? orders[request.orderBy] : undefined;
  if (columns === undefined) throw invalidParams('order_by does not have a valid value');
  const last = columns.at(-1);
  if (last?.name !== 'id' || last.nullable) throw new Error(`the order ${request.orderBy} does not end in id`);
  return columns.map((column) => {
    const descending = (column.direction ?? request.sort) === 'desc';
    return { ...column, descending, nullsFirst: column.nulls === undefined ? descending : column.nulls === 'first' };
  });
}

const reversed = (columns: Column[]): Column[] =>
  columns.map((column) => ({ ...column, descending: !column.descending, nullsFirst: !column.nullsFirst }));

function orderClause(columns: Column[]): Sql {
  return join(
    columns.map((column) => {
      const direction = column.descending ? 'desc' : 'asc';
      const standard = !column.nullable || column.nullsFirst === column.descending;
      return sql`${column.expression} ${raw(standard ? direction : `${direction} nulls ${column.nullsFirst ? 'first' : 'last'}`)}`;
    }),
    ', ',
  );
}

const bound = (column: Column, value: string): Sql => sql`${value}::text::${raw(column.type)}`;

const equals = (column: Column, value: CursorValue): Sql =>
  value === null ? sql`${column.expression} is null` : sql`${column.expression} = ${bound(column, value)}`;

/** Rows that stand behind `value` in this column; undefined when there can be none. */
function behind(column: Column, value: CursorValue): Sql | undefined {
  if (value === null) return column.nullsFirst ? sql`${column.expression} is not null` : undefined;
  const comparison = sql`${column.expression} ${raw(column.descending ? '<' : '>')} ${bound(column, value)}`;
  return column.nullable && !column.nullsFirst ? sql`(${comparison} or ${column.expression} is null)` : comparison;
}

/** Rows that stand behind the row with these values. */
function afterClause(columns: Column[], values: CursorValue[]): Sql {
  const plain = columns.every(
    (column, at) => !column.nullable && values[at] !== null && column.descending === columns[0]?.descending,
  );
  if (plain) {
    // A row comparison is one range of the index; the general form below is not.
    const left = join(columns.map((column) => column.expression));
    const right = join(columns.map((column, at) => bound(column, values[at] as string)));
    return sql`(${left}) ${raw(columns[0]?.descending ? '<' : '>')} (${right})`;
  }
  const branches: Sql[] = [];
  columns.forEach((column, at) => {
    const further = behind(column, values[at] ?? null);
    if (further === undefined) return;
    const same = columns.slice(0, at).map((earlier, before) => equals(earlier, values[before] ?? null));
    branches.push(sql`(${join([...same, further], ' and ')})`);
  });
  const any = sql`(${join(branches, ' or ')})`;
  // The branches imply the leading bound; written separately, it lets the planner start inside the index.
  const [first] = columns;
  const [firstValue] = values;
  if (first === undefined || first.nullable || firstValue === null || firstValue === undefined) return any;
  return sql`${first.expression} ${raw(first.descending ? '<=' : '>=')} ${bound(first, firstValue)} and ${any}`;
}

type Direction = 'n' | 'p';

/** The opaque cursor of G-1-32: base64url JSON of a row's order columns plus `_kd`. */
function writeCursor(columns: Column[], values: CursorValue[], direction: Direction): string {
  const content: Record<string, CursorValue> = {};
  columns.forEach((column, at) => {
    content[column.name] = values[at] ?? null;
  });
  content._kd = direction;
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

const cursorError = () => badRequest('cursor is invalid');

function readCursor(columns: Column[], cursor: string): { values: CursorValue[]; direction: Direction } {
  if (cursor.length > maxCursorLength || !/^[A-Za-z0-9_-]+={0,2}$/.test(cursor)) throw cursorError();
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw cursorError();
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw cursorError();
  const fields = content as Record<string, unknown>;
  const direction = fields._kd;
  if ((direction !== 'n' && direction !== 'p') || Object.keys(fields).length !== columns.length + 1)
    throw cursorError();
  const values = columns.map((column): CursorValue => {
    const value = Object.hasOwn(fields, column.name) ? fields[column.name] : undefined;
    if (value === null && column.nullable) return null;
    if (typeof value !== 'string' || !valuePatterns[column.type].test(value)) throw cursorError();
    return value;
  });
  return { values, direction };
}

const keyName = (at: number): string => `__key${at}`;

const statementOf = ({ searches }: ListQuery): typeof named => (searches ? plannedEachTime : named);

const whereClause = (conditions: Sql[]): Sql =>
  conditions.length === 0
    ? empty
    : sql` where ${join(
        conditions.map((condition) => sql`(${condition})`),
        ' and ',
      )}`;

const sortName = (at: number): string => `__sort${at}`;

/** The ids to begin at, null where there are many of each kind. Read once, and the second only if the first has many. */
function fewIds({ at, few: limit = fewLimit }: Beginnings): Sql {
  const few = at.map(
    (ids) => sql`(select case when count(*) <= ${raw(String(limit))} then coalesce(array_agg(b.id), '{}') end
      from (${ids} limit ${raw(String(limit + 1))}) b)`,
  );
  return sql`with few as materialized (select ${few.length === 1 ? few[0]! : sql`coalesce(${join(few)})`} as ids) `;
}

/** Both ways to the rows, of which the ids to begin at close one before it reads a row. */
function bothWays(begin: Beginnings, rowsOf: (condition: Sql) => Sql): Sql {
  const atFew = rowsOf(sql`${begin.id} = any((select few.ids from few)::bigint[])`);
  const along = rowsOf(sql`(select few.ids is null from few)`);
  return sql`(${atFew}) union all (${along})`;
}

const beginsOf = ({ begin }: ListQuery): Beginnings | undefined =>
  begin === undefined || begin.at.length === 0 ? undefined : begin;

/** Rows of the pages that clients ask for, one more each; others would fill the names of prepared statements. */
const usualLimits = new Set([21, 51, 101]);

/** The rows of a page, at most `limit` after `offset`. */
function pageStatement(
  list: ListQuery,
  columns: Column[],
  conditions: Sql[],
  range: { limit: number; offset: number; keys?: Sql },
): Sql {
  const { select, from, each } = list;
  const { limit, offset, keys } = range;
  const selected = keys === undefined ? select : sql`${select}, ${keys}`;
  const skipped = offset === 0 ? empty : sql` offset ${offset}`;
  const most = list.steady && offset === 0 && usualLimits.has(limit) ? raw(String(limit)) : sql`${limit}`;
  const begin = beginsOf(list);
  if (begin !== undefined) {
    const ids = bothWays(
      begin,
      (condition) => sql`select ${begin.id} from ${from}${whereClause([...conditions, condition])}
        order by ${orderClause(columns)} limit ${most}${skipped}`,
    );
    return sql`${fewIds(begin)}select ${selected} from ${from} where ${begin.id} = any(array(${ids})) order by ${orderClause(columns)}`;
  }
  if (each === undefined)
    return sql`select ${selected} from ${from}${whereClause(conditions)} order by ${orderClause(columns)} limit ${most}${skipped}`;
  const sorts = columns.map((column, at) => sql`${column.expression} as ${raw(sortName(at))}`);
  const outer = columns.map((column, at) => ({ ...column, expression: raw(`one.${sortName(at)}`) }));
  return sql`select one.* from ${each} cross join lateral (
    select ${selected}, ${join(sorts)} from ${from}${whereClause(conditions)} order by ${orderClause(columns)} limit ${limit + offset}) as one
    order by ${orderClause(outer)} limit ${limit}${skipped}`;
}

/** How many rows a list has, one more than a total is given for at the most. */
function countStatement(list: ListQuery): Sql {
  const { from, where, countFrom = from, each, begin: given } = list;
  // Written out: of a parameter a prepared plan knows nothing, and takes a scan that would end early for the cheapest.
  const limited = (select: Sql): Sql => sql`${select} limit ${raw(String(totalLimit + 1))}`;
  if (given?.count !== undefined)
    return sql`select count(*)::int as total from (${limited(sql`select 1 from (${given.count}) as found`)}) as counted`;
  const rowsOf = (conditions: Sql[]): Sql => limited(sql`select 1 from ${countFrom}${whereClause(conditions)}`);
  const begin = beginsOf(list);
  if (begin !== undefined)
    return sql`${fewIds(begin)}select count(*)::int as total from (${bothWays(begin, (condition) => rowsOf([...where, condition]))}) as counted`;
  const rows = rowsOf(where);
  const all =
    each === undefined ? rows : sql`select 1 from ${each} cross join lateral (${rows}) as one limit ${totalLimit + 1}`;
  return sql`select count(*)::int as total from (${all}) as counted`;
}

function withoutSorts<Row>({ each }: ListQuery, columns: Column[], rows: Record<string, unknown>[]): Row[] {
  if (each !== undefined) for (const row of rows) columns.forEach((_, at) => void delete row[sortName(at)]);
  return rows as Row[];
}

async function offsetPage<Row>(list: ListQuery, columns: Column[]): Promise<{ rows: Row[]; page: PageInfo }> {
  const { db, name, where, request } = list;
  const prepare = statementOf(list);
  const { perPage } = request;
  const page = Math.max(1, request.page);
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  const statement = pageStatement(list, columns, where, { limit: perPage + 1, offset });
  const [rows, counted] = await Promise.all([
    db.query<Record<string, unknown>>(prepare(name, statement)),
    list.count ? db.query<{ total: number }>(prepare(`${name}_count`, countStatement(list))) : [],
  ]);
  const hasNext = rows.length > perPage;
  if (hasNext) rows.length = perPage;
  const info: PageInfo = { page, perPage, hasNext };
  const total = counted[0]?.total;
  if (total !== undefined && total <= totalLimit) info.total = total;
  return { rows: withoutSorts(list, columns, rows), page: info };
}

async function keysetPage<Row>(list: ListQuery, columns: Column[]): Promise<{ rows: Row[]; page: PageInfo }> {
  const { db, name, where, request } = list;
  const prepare = statementOf(list);
  const { perPage } = request;
  const position =
    request.cursor === undefined || request.cursor === '' ? undefined : readCursor(columns, request.cursor);
  const backwards = position?.direction === 'p';
  const walked = backwards ? reversed(columns) : columns;
  const keys = join(
    columns.map((column, at) => sql`(${column.expression})::text as ${raw(keyName(at))}`),
    ', ',
  );
  const conditions = position ? [...where, afterClause(walked, position.values)] : where;
  const statement = pageStatement(list, walked, conditions, { limit: perPage + 1, offset: 0, keys });
  let found: Record<string, unknown>[];
  try {
    found = await db.query(prepare(`${name}_keyset`, statement));
  } catch (error) {
    // A forged cursor whose values have the right form and no meaning, such as the 31st of February.
    if (position && sqlState(error)?.startsWith('22')) throw cursorError();
    throw error;
  }
  const more = found.length > perPage;
  if (more) found.length = perPage;
  if (backwards) found.reverse();
  const cursors = found.map((row) =>
    columns.map((_, at) => {
      const value = row[keyName(at)] as CursorValue;
      delete row[keyName(at)];
      return value;
    }),
  );
  const first = cursors[0];
  const last = cursors.at(-1);
  const hasNext = backwards ? first !== undefined : more;
  const hasPrevious = backwards ? more : position !== undefined && first !== undefined;
  const info: PageInfo = { page: 1, perPage, hasNext };
  if (hasNext && last) info.nextCursor = writeCursor(columns, last, 'n');
  if (hasPrevious && first) info.prevCursor = writeCursor(columns, first, 'p');
  return { rows: withoutSorts(list, columns, found), page: info };
}

/**
 * One page of a list. Offset mode: one statement plus one count that stops at 10,001; keyset mode: one statement. A
 * malformed or forged cursor is an AppError of kind `bad_request`; an `order_by` that is not offered one of kind
 * `invalid_params`.
 */
export async function listPage<Row = Record<string, unknown>>(
  list: ListQuery,
): Promise<{ rows: Row[]; page: PageInfo }> {
  const columns = columnsOf(list);
  return list.request.mode === 'keyset' ? keysetPage<Row>(list, columns) : offsetPage<Row>(list, columns);
}
