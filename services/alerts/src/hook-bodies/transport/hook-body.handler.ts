import { HookBodyServiceService } from '@switchyard/protos/alerts/v1/hook_body';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { renderHookBodies } from './render-hook-bodies';

/** HookBodyService; groups-admin alone may call it. */
export const hookBodyHandler = (render: ReturnType<typeof renderHookBodies>): ServiceImplementation =>
  implement(
    HookBodyServiceService,
    { renderHookBodies: async ({ events }) => ({ rendered: await render(events) }) },
    { renderHookBodies: { callers: ['groups-admin'] } },
  );
