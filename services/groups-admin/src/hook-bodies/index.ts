import type { Edges } from '../edges';
import { hookFactsStore } from './storage/hook-facts.store';
import { renderHookBodies } from './transport/render-hook-bodies';

/** Hook bodies of what this service owns: members, projects, groups, milestones, users and keys (G-6-3, G-6-4). */
export const composeHookBodies = ({ config, db, observe }: Pick<Edges, 'config' | 'db' | 'observe'>) =>
  observe('hook-bodies', {
    renderHookBodies: renderHookBodies({ factsOf: hookFactsStore(db), externalUrl: config.SWITCHYARD_EXTERNAL_URL }),
  }).renderHookBodies;
