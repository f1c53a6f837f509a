import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import {
  manageProtectionRules,
  type RequireUnprotected,
  requireUnprotected,
} from './application/manage-protection-rules';
import { protectionRuleStore } from './storage/protection-rule.store';
import { protectionRuleHandler } from './transport/protection-rule.handler';

/** What packages use of protection rules. */
export interface Protection extends Area {
  readonly requireUnprotected: RequireUnprotected;
}

/** Builds protection rules. */
export function composeProtection({ db, observe }: Pick<Edges, 'db' | 'observe'>): Protection {
  const store = protectionRuleStore(db);
  return {
    requireUnprotected: requireUnprotected(store),
    services: [protectionRuleHandler(observe('packages', manageProtectionRules(store)))],
  };
}
