import type { Database, Tx } from '@switchyard/database';
import { join, sql } from '@switchyard/database/sql';
import type { EncryptedTable, Keyring } from '@switchyard/secrets';
import type { PipelineVariable, PipelineVariableType } from '../domain/pipeline-variable';

interface VariableRow {
  readonly key: string;
  readonly type: PipelineVariableType;
  /** As an earlier release stored it. */
  readonly value: string | null;
  /** Encrypted. */
  readonly sealed: Buffer | null;
}

/** What a value is encrypted for: pipeline and key are the row's for good (D7). */
const identityOf = (pipelineId: number, key: string): string => `variable of pipeline ${pipelineId}: ${key}`;

/** Variables that pipelines were made with; the ring encrypts their values. */
export const pipelineVariableStore = (db: Database, ring: Keyring) => ({
  /** Stores the variables of a new pipeline in its transaction. */
  async insert(tx: Tx, pipelineId: number, variables: readonly PipelineVariable[]): Promise<void> {
    if (variables.length === 0) return;
    const values = variables.map(
      ({ key, value, type }) =>
        sql`(${pipelineId}, ${key}, ${ring.encrypt(identityOf(pipelineId, key), value)}, ${type})`,
    );
    await tx.query(
      sql`insert into pipeline_variables (pipeline_id, key, sealed, variable_type) values ${join(values)}`,
    );
  },

  /** The variables of a pipeline, in the order in which they were given. */
  async of(pipelineId: number): Promise<PipelineVariable[]> {
    const rows = await db.query<VariableRow>(sql`
      select key, variable_type as type, value, sealed from pipeline_variables where pipeline_id = ${pipelineId} order by id`);
    return rows.map(({ key, type, value, sealed }) => ({
      key,
      type,
      value: sealed === null ? (value ?? '') : ring.decrypt(identityOf(pipelineId, key), sealed),
    }));
  },
});

/** The values as a rotation of keys sees them. */
export const pipelineVariableSecrets = (db: Database): EncryptedTable => ({
  name: 'variables of pipelines',

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<VariableRow & { id: number; pipelineId: number }>(sql`
      select id, pipeline_id as "pipelineId", key, value, sealed from pipeline_variables
      where id > ${id} and (sealed is null or substring(sealed from 2 for 4) <> ${keyId}) order by id limit ${limit}`);
    return rows.map((row) => ({
      id: row.id,
      identity: identityOf(row.pipelineId, row.key),
      stored: row.sealed ?? row.value ?? '',
    }));
  },

  replace: async ({ id, stored }, sealed) =>
    (await db.one(sql`
      update pipeline_variables set sealed = ${sealed}, value = null
      where id = ${id} and ${typeof stored === 'string' ? sql`value = ${stored}` : sql`sealed = ${stored}`} returning id`)) !==
    undefined,
});
