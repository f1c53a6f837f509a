import { type Sql, sql } from '@switchyard/database/sql';
import { internalUserTypes } from '../../rules';

/**
 * Kind of a user `u`. Placeholder users are bots in the table, whose rule about kinds releases without them hold (ADR 66):
 * these change no bot, give it no token and make it no member.
 */
export const userKind: Sql = sql`case
  when u.user_type = 'bot' and exists (select from placeholder_users p where p.user_id = u.id) then 'placeholder'
  else u.user_type end`;

/** Condition on `users u`: it is none of the instance itself. */
export const isNoInternalUser: Sql = sql`${userKind} <> all(${[...internalUserTypes]}::text[])`;
