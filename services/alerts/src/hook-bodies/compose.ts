import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { hookFactsStore } from './storage/hook-facts.store';
import { hookBodyHandler } from './transport/hook-body.handler';
import { renderHookBodies } from './transport/render-hook-bodies';

/** Hook bodies of alerts (G-6-3, G-6-4). */
export function composeHookBodies({ config, db, directory, observe }: Edges): Area {
  const useCases = observe('hook-bodies', {
    renderHookBodies: renderHookBodies({
      factsOf: hookFactsStore(db),
      externalUrl: config.SWITCHYARD_EXTERNAL_URL,
      ensureDirectory: directory.ensure,
    }),
  });
  return { services: [hookBodyHandler(useCases.renderHookBodies)] };
}
