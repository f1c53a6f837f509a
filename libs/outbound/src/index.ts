export { type Allowed, parseAllowed } from './allowed';
export {
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundStream,
  openOutbound,
  type RequestLimits,
  type StreamLimits,
} from './outbound';
export { OutboundRefused, type RefusalReason } from './refused';
export { headerProblem, type PreparedRequest, shownHeaders, urlProblem } from './request';
export type { Resolve, Resolved } from './resolve';
export { configuredOutbound, outboundVariables } from './variables';
