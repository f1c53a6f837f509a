import type { Edges } from '../edges';
import { hookFactsStore } from './storage/hook-facts.store';
import { renderHookBodies } from './transport/render-hook-bodies';

/** Hook bodies of what this service owns: members, projects, groups, users and keys (G-6-3, G-6-4). */
export const composeHookBodies = ({ db, observe }: Pick<Edges, 'db' | 'observe'>) =>
  observe('hook-bodies', { renderHookBodies: renderHookBodies({ factsOf: hookFactsStore(db) }) }).renderHookBodies;
