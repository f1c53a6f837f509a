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
  readonly spentAt?: string | undefined;
  readonly summary?: string | undefined;
  readonly noteId?: number | undefined;
}

const names = Object.keys(kinds) as Tracking['kind'][];

/** Time tracking as it travels. */
export const timeTrackingMessage = ({ kind, ...tracking }: Tracking): Message => ({ ...tracking, kind: kinds[kind] });

/** The time tracking of a message; without a value an estimate of nothing, which the rules refuse. */
export const timeTracking = (message: Message | undefined): Tracking => ({
  kind: names.find((name) => kinds[name] === message?.kind) ?? 'estimate',
  duration: message?.duration ?? '',
  spentAt: message?.spentAt,
  summary: message?.summary,
  noteId: message?.noteId,
});
