import { TimeTracking_Kind as Kind, type TimeTracking as Message } from '@switchyard/protos/rpc/v1/time_tracking';

const kinds = {
  estimate: Kind.KIND_ESTIMATE,
  spend: Kind.KIND_SPEND,
  reset_estimate: Kind.KIND_RESET_ESTIMATE,
  reset_spent: Kind.KIND_RESET_SPENT,
} as const;

/** What is done to the times of an issue or a merge request, as the rules know it. */
interface Tracking {
  readonly kind: keyof typeof kinds;
  readonly duration: string;
}

const names = Object.keys(kinds) as Tracking['kind'][];

/** Time tracking as it travels. */
export const timeTrackingMessage = ({ kind, duration }: Tracking): Message => ({ kind: kinds[kind], duration });

/** The time tracking of a message; without a value an estimate of nothing, which the rules refuse. */
export const timeTracking = (message: Message | undefined): Tracking => ({
  kind: names.find((name) => kinds[name] === message?.kind) ?? 'estimate',
  duration: message?.duration ?? '',
});
