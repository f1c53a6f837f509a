import { type Sql, sql } from '@switchyard/database/sql';
import type { MappingType, PayloadMapping } from '../../payloads';
import type { HttpIntegration, IntegrationType } from '../domain/http-integration';

/** A mapping as it is stored. */
interface StoredMapping {
  readonly field: PayloadMapping['field'];
  readonly path: string[];
  readonly type: MappingType;
  readonly label?: string;
  readonly fallback_path?: string[];
}

/** Columns of `http_integrations i` that `toIntegration` reads; the sample as text. */
export const integrationColumns: Sql = sql`i.id, i.project_id, i.type, i.name, i.endpoint_id, i.key_hint, i.active,
  i.payload_example::text as payload_example, i.payload_attribute_mappings, i.created_at, i.updated_at`;

/** A mapping as JSON for its column. */
export const mappingJson = (mapping: readonly PayloadMapping[]): string =>
  JSON.stringify(
    mapping.map(({ field, path, type, label, fallbackPath }) => ({
      field,
      path,
      type,
      label,
      fallback_path: fallbackPath,
    })),
  );

/** A mapping from its column. */
export const mappingOf = (value: unknown): PayloadMapping[] =>
  (value as StoredMapping[]).map(({ field, path, type, label, fallback_path: fallbackPath }) => ({
    field,
    path,
    type,
    label,
    fallbackPath,
  }));

/** A row of `integrationColumns`. */
export const toIntegration = (row: Record<string, unknown>): HttpIntegration => ({
  id: row.id as number,
  projectId: row.project_id as number,
  type: row.type as IntegrationType,
  name: row.name as string,
  endpointId: row.endpoint_id as string,
  keyHint: row.key_hint as string,
  active: row.active as boolean,
  payloadExample: (row.payload_example as string | null) ?? undefined,
  mapping: mappingOf(row.payload_attribute_mappings),
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});
