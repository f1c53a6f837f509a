export { CannotBeMade, type DeliveryTarget } from './application/delivery.ports';
export { composeDeliveries, type DeliveryArea, type RequestedDelivery } from './compose';
export type { Attempt, DueDelivery, NewDelivery, Outcome, TargetKind } from './domain/delivery';
export { type AttemptFilter, type AttemptRow, deliveryOfAttempt, listAttempts } from './storage/attempt.list';
export { queueDeliveries } from './storage/queue-deliveries';
