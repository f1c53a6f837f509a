import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { hookFactsStore } from './storage/hook-facts.store';
import { hookBodyHandler } from './transport/hook-body.handler';
import { noteableParts } from './transport/noteable-parts.client';
import { renderHookBodies } from './transport/render-hook-bodies';

/** Hook bodies of issues, epics, notes and reactions (G-6-3, G-6-4). */
export function composeHookBodies({ config, db, directory, peer, observe }: Edges): Area {
  const useCases = observe('hook-bodies', {
    renderHookBodies: renderHookBodies({
      factsOf: hookFactsStore(db),
      partsOf: noteableParts(peer('merge-requests')),
      externalUrl: config.SWITCHYARD_EXTERNAL_URL,
      ensureDirectory: directory.ensure,
    }),
  });
  return { services: [hookBodyHandler(useCases.renderHookBodies)] };
}
