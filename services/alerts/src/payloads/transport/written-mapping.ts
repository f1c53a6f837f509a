import type { PayloadAttributeMapping } from '@switchyard/protos/alerts/v1/http_integration';
import type { WrittenMapping } from '../domain/payload-mapping';

/** The mapping of a request. */
export const toWrittenMapping = ({
  fieldName,
  path,
  type,
  label,
  fallbackPath,
}: PayloadAttributeMapping): WrittenMapping => ({
  field: fieldName,
  path,
  type,
  label,
  fallbackPath,
});
