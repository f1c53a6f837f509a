import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { type AttributeOwner, type CustomAttribute, checkAttribute } from '../domain/custom-attribute';

/** Custom attributes in the database; each change is one transaction. */
export interface CustomAttributeStore {
  /** A page of the attributes of an owner; undefined without the owner. */
  list(owner: AttributeOwner, request: PageRequest): Promise<{ rows: CustomAttribute[]; page: PageInfo } | undefined>;
  find(owner: AttributeOwner, key: string): Promise<CustomAttribute | undefined>;
  /** Makes or changes one; false without the owner. @throws AppError invalid when the owner has too many */
  set(owner: AttributeOwner, attribute: CustomAttribute): Promise<boolean>;
  /** False when there is none. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  remove(owner: AttributeOwner, key: string, unmodifiedSince: Date | undefined): Promise<boolean>;
}

const nouns = { user: 'User', group: 'Group', project: 'Project' } as const;

/** Custom attributes of users, groups and projects (G-4.15-11). The gateway lets administrators alone use them. */
export const manageCustomAttributes = ({ attributes }: { attributes: CustomAttributeStore }) => ({
  /** A page of the attributes of an owner. @throws AppError not_found */
  async list(owner: AttributeOwner, request: PageRequest): Promise<{ rows: CustomAttribute[]; page: PageInfo }> {
    const found = await attributes.list(owner, request);
    if (found === undefined) throw notFound(nouns[owner.kind]);
    return found;
  },

  /** @throws AppError not_found */
  async get(owner: AttributeOwner, key: string): Promise<CustomAttribute> {
    const attribute = await attributes.find(owner, key);
    if (attribute === undefined) throw notFound();
    return attribute;
  },

  /** Makes or changes an attribute. @throws AppError not_found; invalid */
  async set(owner: AttributeOwner, attribute: CustomAttribute): Promise<CustomAttribute> {
    checkAttribute(attribute);
    if (!(await attributes.set(owner, attribute))) throw notFound(nouns[owner.kind]);
    return attribute;
  },

  /** @throws AppError not_found; precondition_failed */
  async remove(owner: AttributeOwner, key: string, unmodifiedSince?: Date): Promise<void> {
    if (!(await attributes.remove(owner, key, unmodifiedSince))) throw notFound();
  },
});

/** Use cases of custom attributes. */
export type ManageCustomAttributes = ReturnType<typeof manageCustomAttributes>;
