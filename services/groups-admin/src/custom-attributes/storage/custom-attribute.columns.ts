import { type Sql, sql } from '@switchyard/database/sql';
import type { AttributeOwner } from '../domain/custom-attribute';

/** The column that names an owner of this kind. */
export const ownerColumn: Readonly<Record<AttributeOwner['kind'], Sql>> = {
  user: sql`user_id`,
  group: sql`namespace_id`,
  project: sql`project_id`,
};

/** The attributes of an owner as an array of `CustomAttribute`; an expression for select lists. */
export const customAttributesOf = (kind: AttributeOwner['kind'], id: Sql): Sql => sql`(
  select coalesce(json_agg(json_build_object('key', a.key, 'value', a.value) order by a.id), '[]')
  from custom_attributes a where a.${ownerColumn[kind]} = ${id})`;

/** Whether an owner has all of these attributes: a condition for each, which runs once per statement. */
export const hasCustomAttributes = (
  kind: AttributeOwner['kind'],
  id: Sql,
  values: Readonly<Record<string, string>>,
): Sql[] =>
  Object.entries(values).map(
    ([key, value]) => sql`${id} = any(array(
      select a.${ownerColumn[kind]} from custom_attributes a
      where a.key = ${key} and a.value = ${value} and a.${ownerColumn[kind]} is not null))`,
  );
