import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Environment } from '../domain/environment';

/** Keeps an environment that was made; once. Within the transaction that consumes the event. */
export async function keepEnvironment(tx: Tx, { id, projectId, name, createdAt }: Environment): Promise<void> {
  await tx.query(sql`
    insert into environments (id, project_id, name, created_at) values (${id}, ${projectId}, ${name}, ${createdAt})
    on conflict (id) do nothing`);
}

/** Forgets an environment that was deleted; its alerts have none from then on. */
export async function forgetEnvironment(tx: Tx, id: number): Promise<void> {
  await tx.query(sql`delete from environments where id = ${id}`);
}
