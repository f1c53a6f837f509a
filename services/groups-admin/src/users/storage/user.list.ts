import {
  type ClauseTable,
  clausesOf,
  contains,
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { customAttributesOf, hasCustomAttributes } from '../../custom-attributes';
import { isNoInternalUser, userKind } from '../../directory';
import type { UserFilter, UserRow } from '../domain/user-row';

const columns = (
  viewerId: number,
): Sql => sql`u.id, u.username, u.name, u.email, ${userKind} as user_type, u.state, u.admin, u.external, u.avatar_url, u.public_email,
  u.commit_email, u.bio, u.location, u.skype, u.linkedin, u.twitter, u.discord, u.github, u.website_url, u.organization,
  u.job_title, u.pronouns, u.note, u.preferred_language, u.theme_id, u.color_scheme_id, u.projects_limit, u.can_create_group,
  u.private_profile, u.shared_runners_minutes_limit, u.extra_shared_runners_minutes_limit, u.confirmed_at, u.last_sign_in_at,
  u.current_sign_in_at, u.last_activity_on::text as last_activity_on, u.created_at, own.id as namespace_id,
  by.id as creator_id, by.username as creator_username, by.name as creator_name, by.state as creator_state,
  by.avatar_url as creator_avatar_url, by.public_email as creator_public_email,
  (select e.email from emails e where e.user_id = u.id and e.becomes_primary) as unconfirmed_email,
  (select count(*)::int from user_follows f where f.followed_id = u.id) as followers,
  (select count(*)::int from user_follows f where f.follower_id = u.id) as following,
  exists (select from user_follows f where f.followed_id = u.id and f.follower_id = ${viewerId}) as is_followed`;

const columnsWithAttributes = (viewerId: number): Sql =>
  sql`${columns(viewerId)}, ${customAttributesOf('user', sql`u.id`)} as custom_attributes`;

const tables = sql`users u
  left join namespaces own on own.owner_id = u.id
  left join users by on by.id = u.created_by_id`;

/** A condition on `u`: the user has this e-mail. Users who may not see an e-mail must not confirm it by a search. */
export const hasEmail = (email: string, seesPrivate: boolean): Sql =>
  seesPrivate
    ? sql`lower(${email}) in (lower(u.email), lower(u.public_email))`
    : sql`lower(u.public_email) = lower(${email})`;

const when = (clause: Sql) => (requested: boolean) => (requested ? clause : []);

const clauses: ClauseTable<UserFilter, UserFilter> = {
  username: (username) => sql`lower(u.username) = lower(${username})`,
  search: (text, { searchPrivateEmail }) => {
    const names =
      text.length < 3
        ? sql`lower(u.username) = lower(${text}) or lower(u.name) = lower(${text})`
        : sql`u.username ilike ${contains(text)} or u.name ilike ${contains(text)}`;
    return sql`${names} or ${hasEmail(text, searchPrivateEmail)}`;
  },
  searchPrivateEmail: () => [],
  active: when(sql`u.state = 'active'`),
  blocked: when(sql`u.state in ('blocked', 'ldap_blocked')`),
  external: when(sql`u.external`),
  excludeExternal: when(sql`not u.external`),
  humans: when(sql`u.user_type = 'human'`),
  excludeHumans: when(sql`u.user_type <> 'human'`),
  excludeActive: when(sql`u.state <> 'active'`),
  excludeInternal: when(isNoInternalUser),
  admins: when(sql`u.admin`),
  createdAfter: (timestamp) => sql`u.created_at > ${timestamp}`,
  createdBefore: (timestamp) => sql`u.created_at < ${timestamp}`,
  withoutProjectBots: when(sql`u.user_type <> 'bot'`),
  customAttributes: (values) => hasCustomAttributes('user', sql`u.id`, values),
  withCustomAttributes: () => [],
  withoutProjects: when(sql`not exists (select from projects p where p.namespace_id = own.id)`),
};

const id = { name: 'id', expression: sql`u.id`, type: 'bigint' } as const;

/** Public orders of users (G-1-33). */
const orders = {
  id: [id],
  name: [{ name: 'name', expression: sql`u.name`, type: 'text' } as const, id],
  username: [{ name: 'username', expression: sql`u.username`, type: 'text' } as const, id],
  created_at: [{ name: 'created_at', expression: sql`u.created_at`, type: 'timestamptz' } as const, id],
  updated_at: [{ name: 'updated_at', expression: sql`u.updated_at`, type: 'timestamptz' } as const, id],
};

/** One page of users: one statement, and one capped count in offset mode. */
export const listUsers = (
  db: Database,
  filter: UserFilter,
  request: PageRequest,
  viewerId: number,
): Promise<{ rows: UserRow[]; page: PageInfo }> =>
  listPage<UserRow>({
    db,
    name: 'list_users',
    searches: filter.search !== undefined,
    select: filter.withCustomAttributes ? columnsWithAttributes(viewerId) : columns(viewerId),
    from: tables,
    where: clausesOf(clauses, filter, filter),
    orders,
    request,
    count: true,
  });

/** One user; undefined when there is none. */
export const findUser = (
  db: Database,
  userId: number,
  viewerId: number,
  { withCustomAttributes = false } = {},
): Promise<UserRow | undefined> =>
  db.one<UserRow>(
    withCustomAttributes
      ? sql`select ${columnsWithAttributes(viewerId)} from ${tables} where u.id = ${userId}`
      : named('find_user', sql`select ${columns(viewerId)} from ${tables} where u.id = ${userId}`),
  );
