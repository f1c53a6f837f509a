export { type Allowed, parseAllowed } from './allowed';
export { type Outbound, type OutboundAnswer, type OutboundOptions, openOutbound, type RequestLimits } from './outbound';
export { OutboundRefused, type RefusalReason } from './refused';
export { headerProblem, type PreparedRequest, shownHeaders, urlProblem } from './request';
export type { Resolve, Resolved } from './resolve';
export { outboundVariables } from './variables';
