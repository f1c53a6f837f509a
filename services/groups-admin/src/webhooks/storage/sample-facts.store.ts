import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { HookProjectRow } from '@switchyard/directory';
import type { Place } from '../domain/webhook';

interface UserFacts {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly state: string;
  readonly avatar_url: string | null;
  readonly public_email: string | null;
}

interface GroupFacts {
  readonly id: number;
  readonly name: string;
  readonly full_path: string;
}

/** Whom and what the sample of a test names. */
export const sampleFacts = (db: Database) => async (place: Place, userId: number) => {
  const [user, project, group] = await Promise.all([
    db.one<UserFacts>(sql`select id, name, username, state, avatar_url, public_email from users where id = ${userId}`),
    place.kind === 'project'
      ? db.one<HookProjectRow>(sql`
          select p.id, p.name, p.path, n.full_path as namespace_full_path, n.full_name as namespace_full_name, p.visibility,
            p.avatar_url, p.default_branch, p.description
          from projects p join namespaces n on n.id = p.namespace_id where p.id = ${place.id}`)
      : undefined,
    place.kind === 'group'
      ? db.one<GroupFacts>(sql`select id, name, full_path from namespaces where id = ${place.id}`)
      : undefined,
  ]);
  if (user === undefined) throw new Error(`no user ${userId}`);
  return { user: { ...user }, project, group };
};
