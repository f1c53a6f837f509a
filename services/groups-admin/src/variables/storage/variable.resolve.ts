import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { AppError } from '@switchyard/errors';
import type { Keyring } from '@switchyard/secrets';
import type { ResolvedVariable, ResolveQuery } from '../domain/variable-row';
import { scopePattern, toShown, type VariableRow, variableColumns } from './variable.columns';

/** Bytes of all values together. */
interface Total {
  readonly total: number;
}

interface ResolvedRow extends VariableRow, Total {
  readonly source: ResolvedVariable['source'];
}

/** The only row where the pipeline gets no variables, or too many bytes of them. */
interface TotalRow extends Total {
  readonly id: null;
}

/** Bytes of the values of one reply; no process takes an environment as large. */
const maxBytes = 64 << 20;

/**
 * What a pipeline gets, in one statement. The sizes are summed first: values that are too large together are not read.
 * The nearest parent wins; of its variables the exact scope, then the one with most characters that are no wildcard.
 */
export async function resolveVariables(db: Database, ring: Keyring, query: ResolveQuery): Promise<ResolvedVariable[]> {
  const rows = await db.query<ResolvedRow | TotalRow>(sql`
    with place as (
      select p.id, n.ancestry from projects p join namespaces n on n.id = p.namespace_id where p.id = ${query.projectId}),
    candidates as (
      select v.id, v.key, v.environment_scope, v.protected, 1000 as nearness from variables v, place where v.project_id = place.id
      union all
      select v.id, v.key, v.environment_scope, v.protected, array_position(place.ancestry, v.namespace_id)
        from variables v, place where v.namespace_id = any(place.ancestry)
      union all
      select v.id, v.key, v.environment_scope, v.protected, 0
        from variables v where v.namespace_id is null and v.project_id is null and exists (select from place)),
    chosen as (
      select distinct on (v.key) v.id, v.nearness from candidates v
      where (${query.protectedRef} or not v.protected)
        and (v.environment_scope = '*' or ${query.environment ?? null}::text like ${scopePattern})
      order by v.key, v.nearness desc, (v.environment_scope = ${query.environment ?? null}::text) desc nulls last,
        length(replace(v.environment_scope, '*', '')) desc, v.id),
    size as (
      select coalesce(sum(octet_length(v.value)), 0) as total from variables v join chosen on chosen.id = v.id)
    select ${variableColumns}, size.total,
      case when v.project_id is not null then 'project' when v.namespace_id is not null then 'group' else 'instance' end as source
    from size left join (variables v join chosen on chosen.id = v.id) on size.total <= ${maxBytes} order by v.key`);
  if (Number(rows[0]?.total ?? 0) > maxBytes) {
    throw new AppError('too_large', { message: '413 Variables Too Large - give the pipeline fewer or shorter ones' });
  }
  const variables = rows.filter((row) => row.id !== null);
  return toShown(variables, ring, query).map(({ row: { source }, variable }) => ({ ...variable, source }));
}
