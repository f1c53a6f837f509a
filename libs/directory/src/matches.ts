import { type Sql, sql } from '@switchyard/database/sql';

/** Users by id or by name, names without regard to case. */
interface Users {
  readonly ids: readonly number[];
  readonly usernames: readonly string[];
}

type UserMatch = 'none' | 'any' | Users;
type TitleMatch = 'none' | 'any' | { readonly titles: readonly string[] };

/** How a row is matched: by at least one of those named, or by all of them. */
interface Matching<Match> {
  oneOf(match: Match): Sql;
  /** Conditions that all must hold. */
  allOf(match: Match): Sql[];
  /** By none of those named. */
  noneOf(match: Match): Sql;
}

/** A table of links, which goes by `link` in conditions. */
interface Links {
  readonly table: Sql;
  /** The condition that a link is the row's: `link.issue_id = i.id`. */
  readonly own: Sql;
}

const withoutCase = (texts: readonly string[]): string[] => [
  ...new Set(texts.map((text) => text.normalize().toLowerCase())),
];

/** Ids of users by name; read once per statement. */
const idsOf = (usernames: readonly string[]): Sql =>
  sql`array(select u.id from directory.users u where lower(u.username) = any(${withoutCase(usernames)}::text[]) and u.deleted_at is null)`;

// However many names a filter lists, it is one clause: a clause for each has the planner at work for minutes at three
// hundred.

/** Users by id or by name, read once per statement. */
const anyOf = ({ ids, usernames }: Users): Sql => sql`any(${[...ids]}::bigint[] || ${idsOf(usernames)})`;

/** An array of the ids, where a ghost user means all deleted users that it replaces; read once per statement. */
export const authorIds = (users: Users): Sql => sql`(${[...users.ids]}::bigint[] || ${idsOf(users.usernames)}
  || array(select gone.id from directory.users gone where gone.ghost_id = ${anyOf(users)}))`;

/** Users each by itself, as what stands behind `=`: a clause for each lets a statement begin at the one with few rows. */
export const eachUser = ({ ids, usernames }: Users): Sql[] => [
  ...[...new Set(ids)].map((id) => sql`${id}::bigint`),
  ...withoutCase(usernames).map((username) => sql`any(${idsOf([username])})`),
];

const countOf = ({ ids, usernames }: Users): number => ids.length + withoutCase(usernames).length;

/** Matches a column that holds one user, of deleted ones their ghost user: several never match all. */
export function userColumn(column: Sql): Matching<UserMatch> {
  const oneOf = (match: UserMatch): Sql => {
    if (match === 'none') return sql`${column} is null`;
    return match === 'any' ? sql`${column} is not null` : sql`${column} = any(${authorIds(match)})`;
  };
  return {
    oneOf,
    allOf: (match) => (typeof match !== 'string' && countOf(match) > 1 ? [sql`false`] : [oneOf(match)]),
    noneOf: (match) => sql`(${oneOf(match)}) is not true`,
  };
}

const linked = ({ table, own }: Links, condition: Sql): Sql =>
  sql`exists (select 1 from ${table} link where ${own} and ${condition})`;

// As `not exists`, which PostgreSQL reads row by row for a page and side by side for a count; of `(exists …) is not true` it
// reads all links that meet the condition first.
const unlinked = (links: Links, condition: Sql): Sql => sql`not ${linked(links, condition)}`;

/** Matches the users linked to a row by `link.user_id`, each once or more often. */
export function linkedUsers(links: Links): Matching<UserMatch> & { include(userId: number): Sql } {
  const some = linked(links, sql`true`);
  const oneOf = (match: UserMatch): Sql => {
    if (match === 'none') return unlinked(links, sql`true`);
    return match === 'any' ? some : linked(links, sql`link.user_id = ${anyOf(match)}`);
  };
  return {
    noneOf(match) {
      if (typeof match === 'string') return oneOf(match === 'any' ? 'none' : 'any');
      return unlinked(links, sql`link.user_id = ${anyOf(match)}`);
    },
    include: (userId) => linked(links, sql`link.user_id = ${userId}::bigint`),
    oneOf,
    allOf(match) {
      if (typeof match === 'string' || countOf(match) <= 1) return [oneOf(match)];
      return [
        sql`(select count(distinct link.user_id) from ${links.table} link
          where ${links.own} and link.user_id = ${anyOf(match)}) = ${countOf(match)}::int`,
      ];
    },
  };
}

const distinct = (titles: readonly string[]): string[] => [...new Set(titles.map((title) => title.normalize()))];

/** Labels each of which gets a clause of its own, which finds rare ones by index. */
const labelClauses = 8;

/** An array of the labels of these titles, wherever they are; read once per statement. */
export const labelIds = (titles: readonly string[]): Sql =>
  sql`array(select l.id from directory.labels l where l.title = any(${distinct(titles)}::text[]) and l.deleted_at is null)`;

/** Matches the labels linked to a row by `link.label_id`, by their exact titles. */
export function linkedLabels(links: Links): Matching<TitleMatch> {
  const alive = sql`exists (select 1 from directory.labels l where l.id = link.label_id and l.deleted_at is null)`;
  const oneOf = (match: TitleMatch): Sql => {
    if (match === 'none') return unlinked(links, alive);
    return linked(links, match === 'any' ? alive : sql`link.label_id = any(${labelIds(match.titles)})`);
  };
  return {
    oneOf,
    noneOf(match) {
      if (typeof match === 'string') return oneOf(match === 'any' ? 'none' : 'any');
      // Not as `not exists`: a plan for all titles reads every link of these labels first.
      return sql`(select true from ${links.table} link
        where ${links.own} and link.label_id = any(${labelIds(match.titles)}) limit 1) is not true`;
    },
    allOf(match) {
      if (typeof match === 'string') return [oneOf(match)];
      const titles = distinct(match.titles);
      if (titles.length <= labelClauses) return titles.map((title) => oneOf({ titles: [title] }));
      return [
        sql`(select count(distinct l.title) from ${links.table} link join directory.labels l on l.id = link.label_id
          where ${links.own} and l.deleted_at is null and l.title = any(${titles}::text[])) = ${titles.length}::int`,
      ];
    },
  };
}

/** A condition on the milestone, `ms`, that a column names. */
export const milestoneWhere = (column: Sql, condition: Sql): Sql =>
  sql`exists (select 1 from directory.milestones ms where ms.id = ${column} and ms.deleted_at is null and ${condition})`;

/** An array of the milestones of these titles, wherever they are; read once per statement. */
export const milestoneIds = (titles: readonly string[]): Sql => sql`array(select ms.id from directory.milestones ms
    where ms.title = any(${distinct(titles)}::text[]) and ms.deleted_at is null)`;

/** Matches a column that holds a milestone, by its exact title. */
export function milestoneColumn(column: Sql, match: TitleMatch): Sql {
  if (match === 'none') return sql`not ${milestoneWhere(column, sql`true`)}`;
  if (match === 'any') return milestoneWhere(column, sql`true`);
  return sql`${column} = any(${milestoneIds(match.titles)})`;
}
