import { UnsubscribeServiceService } from '@switchyard/protos/collaboration/v1/unsubscribe';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { Ended } from '../application/unsubscribe';

/** Serves `UnsubscribeService`. */
export const unsubscribeHandler = (unsubscribe: (token: string) => Promise<Ended>): ServiceImplementation =>
  implement(UnsubscribeServiceService, {
    async unsubscribe({ token }) {
      const ended = await unsubscribe(token);
      return { project: ended === 'project', everything: ended === 'everything' };
    },
  });
