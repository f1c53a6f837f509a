import type { Repeating } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { cleanPackages } from './application/clean-packages';
import { cleanupPolicyStore } from './storage/cleanup-policy.store';
import { cleanupPolicyHandler } from './transport/cleanup-policy.handler';

/** Builds the cleanup of packages. */
export function composeCleanup({ db }: Pick<Edges, 'db'>, { packages }: { readonly packages: PackagesArea }): Area {
  const policies = cleanupPolicyStore(db);
  const { mayRemove, removePackage, measureSoon, destroySoon } = packages;
  let cleaning: Repeating | undefined;
  return {
    services: [cleanupPolicyHandler(policies, () => cleaning?.soon())],
    start: () => {
      cleaning = cleanPackages({ db, policies, mayRemove, removePackage, measureSoon, destroySoon });
      return [cleaning];
    },
  };
}
