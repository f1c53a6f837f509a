export { parseJson } from './domain/exact-json';
export { maxPayloadDepth, readPayload } from './domain/payload';
export type { PayloadRules } from './domain/payload-custom';
export { type MappingType, type PayloadMapping, readMapping, type WrittenMapping } from './domain/payload-mapping';
export { isMetricsPayload } from './domain/payload-metrics';
export { isObject } from './domain/payload-value';
export {
  type AlertAttribute,
  type AlertSeverity,
  alertSeverities,
  type PayloadFormat,
  type PayloadItem,
  type ReadPayload,
  type RejectionReason,
  type ReportedAlert,
} from './domain/reported-alert';
export { withJson } from './presenters/with-json';
export { toWrittenMapping } from './transport/written-mapping';
