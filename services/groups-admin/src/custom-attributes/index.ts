export { composeCustomAttributes } from './compose';
export type { CustomAttribute } from './domain/custom-attribute';
export { customAttributesOf, hasCustomAttributes } from './storage/custom-attribute.columns';
