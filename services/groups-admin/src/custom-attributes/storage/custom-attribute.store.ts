import { type Database, listPage, type PageInfo, type PageRequest, requireUnmodified } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  type AttributeOwner,
  type CustomAttribute,
  maxAttributes,
  tooManyAttributes,
} from '../domain/custom-attribute';
import { ownerColumn } from './custom-attribute.columns';

const owners: Readonly<Record<AttributeOwner['kind'], Sql>> = {
  user: sql`users`,
  group: sql`namespaces`,
  project: sql`projects`,
};

const ofOwner = ({ kind, id }: AttributeOwner): Sql => sql`a.${ownerColumn[kind]} = ${id}`;

/** Custom attributes in the database; each change is one transaction. */
export const customAttributeStore = (db: Database) => ({
  /** A page of the attributes of an owner, undefined without the owner: two statements and one count. */
  async list(
    owner: AttributeOwner,
    request: PageRequest,
  ): Promise<{ rows: CustomAttribute[]; page: PageInfo } | undefined> {
    const found = await db.one(sql`select 1 from ${owners[owner.kind]} where id = ${owner.id}`);
    if (found === undefined) return undefined;
    return listPage<CustomAttribute & { id: number }>({
      db,
      name: `list_${owner.kind}_custom_attributes`,
      select: sql`a.id, a.key, a.value`,
      from: sql`custom_attributes a`,
      where: [ofOwner(owner)],
      orders: { id: [{ name: 'id', expression: sql`a.id`, type: 'bigint' }] },
      request,
      count: true,
    });
  },

  find: (owner: AttributeOwner, key: string): Promise<CustomAttribute | undefined> =>
    db.one(sql`select a.key, a.value from custom_attributes a where ${ofOwner(owner)} and a.key = ${key}`),

  set: (owner: AttributeOwner, { key, value }: CustomAttribute): Promise<boolean> =>
    db.transaction(async (tx) => {
      // Of two new attributes at once the second one counts the first.
      const locked = await tx.one(sql`select 1 from ${owners[owner.kind]} where id = ${owner.id} for no key update`);
      if (locked === undefined) return false;
      const changed = await tx.query(sql`
        update custom_attributes a set value = ${value}, updated_at = now()
        where ${ofOwner(owner)} and a.key = ${key} returning a.id`);
      if (changed.length > 0) return true;
      const made = await tx.query(sql`
        insert into custom_attributes (${ownerColumn[owner.kind]}, key, value)
        select ${owner.id}, ${key}, ${value}
        where (select count(*) from custom_attributes a where ${ofOwner(owner)}) < ${maxAttributes}::int
        returning id`);
      if (made.length === 0) throw tooManyAttributes();
      return true;
    }),

  remove: (owner: AttributeOwner, key: string, unmodifiedSince: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      const found = await tx.one<{ id: number }>(
        sql`select a.id from custom_attributes a where ${ofOwner(owner)} and a.key = ${key} for update`,
      );
      if (found === undefined) return false;
      await requireUnmodified(tx, 'custom_attributes', found.id, unmodifiedSince);
      await tx.query(sql`delete from custom_attributes where id = ${found.id}`);
      return true;
    }),
});
