import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { manageCustomAttributes } from './application/manage-custom-attributes';
import { customAttributeStore } from './storage/custom-attribute.store';
import { customAttributeHandler } from './transport/custom-attribute.handler';

/** Custom attributes of users, groups and projects. */
export function composeCustomAttributes({ db, observe }: Edges): Area {
  const attributes = observe('custom_attributes', manageCustomAttributes({ attributes: customAttributeStore(db) }));
  return { services: [customAttributeHandler(attributes)] };
}
