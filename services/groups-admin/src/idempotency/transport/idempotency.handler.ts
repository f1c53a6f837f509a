import {
  IdempotencyServiceService,
  BeginRequestResponse_Outcome as Outcome,
} from '@switchyard/protos/groups_admin/v1/idempotency';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { Begun, KeyedRequests } from '../application/keyed-requests';

const outcomes: Record<Begun['outcome'], Outcome> = {
  none: Outcome.OUTCOME_UNSPECIFIED,
  first: Outcome.OUTCOME_FIRST,
  running: Outcome.OUTCOME_RUNNING,
  answered: Outcome.OUTCOME_ANSWERED,
  other_request: Outcome.OUTCOME_OTHER_REQUEST,
  unknown: Outcome.OUTCOME_UNKNOWN,
};

// A request that has been begun must not wait for others to say how it ended.
const rule = { callers: ['gateway'], unbounded: true } as const;

/** Serves `IdempotencyService`. */
export const idempotencyHandler = (requests: KeyedRequests): ServiceImplementation =>
  implement(
    IdempotencyServiceService,
    {
      async beginRequest(request, { signal }) {
        const begun = await requests.begin(request, request.onlyKnown, signal);
        return {
          outcome: outcomes[begun.outcome],
          answer: begun.outcome === 'answered' ? begun.answer : undefined,
        };
      },

      async finishRequest({ attempt, end }) {
        const ended = end?.$case === 'answer' ? end.value : end?.$case === 'notBegun' ? 'not_begun' : 'unknown';
        await requests.finish(attempt, ended);
        return {};
      },

      async renewRequest({ attempt }) {
        await requests.renew(attempt);
        return {};
      },
    },
    { beginRequest: rule, finishRequest: rule, renewRequest: rule },
  );
