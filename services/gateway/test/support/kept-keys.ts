import {
  type BeginRequestRequest,
  type FinishRequestRequest,
  type KeptAnswer,
  BeginRequestResponse_Outcome as Outcome,
  type RenewRequestRequest,
} from '@switchyard/protos/groups_admin/v1/idempotency';
import type { Fakes } from './gateway';

interface KeptKey {
  readonly request: BeginRequestRequest;
  answer?: KeptAnswer;
  unknown?: boolean;
  renewed: number;
}

/** Keys as groups-admin has them, without time. */
export function keptKeys() {
  const keys = new Map<string, KeptKey>();
  const ofAttempt = (attempt: string): [string, KeptKey][] =>
    [...keys].filter(([, { request }]) => request.attempt === attempt);
  const answered = (outcome: Outcome, answer?: KeptAnswer) => ({ outcome, answer });
  const fakes: Fakes = {
    'IdempotencyService/BeginRequest': async (request: BeginRequestRequest) => {
      const known = keys.get(`${request.caller} ${request.key}`);
      if (known === undefined) {
        if (request.onlyKnown) return answered(Outcome.OUTCOME_UNSPECIFIED);
        keys.set(`${request.caller} ${request.key}`, { request, renewed: 0 });
        return answered(Outcome.OUTCOME_FIRST);
      }
      if (!Buffer.from(known.request.fingerprint).equals(request.fingerprint))
        return answered(Outcome.OUTCOME_OTHER_REQUEST);
      if (known.answer !== undefined) return answered(Outcome.OUTCOME_ANSWERED, known.answer);
      return answered(known.unknown ? Outcome.OUTCOME_UNKNOWN : Outcome.OUTCOME_RUNNING);
    },
    'IdempotencyService/FinishRequest': async ({ attempt, end }: FinishRequestRequest) => {
      for (const [key, known] of ofAttempt(attempt)) {
        if (end?.$case === 'notBegun') keys.delete(key);
        else if (end?.$case === 'answer') known.answer = end.value;
        else known.unknown = true;
      }
      return {};
    },
    'IdempotencyService/RenewRequest': async ({ attempt }: RenewRequestRequest) => {
      for (const [, known] of ofAttempt(attempt)) known.renewed += 1;
      return {};
    },
  };
  return {
    fakes,
    forget: () => keys.clear(),
    /** Whoever had the keys that run has died: nobody knows. */
    giveUp: () => {
      for (const known of keys.values()) if (known.answer === undefined) known.unknown = true;
    },
    all: (): readonly KeptKey[] => [...keys.values()],
  };
}
