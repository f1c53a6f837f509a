import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { CurrentSettings } from '../settings';
import type { PersonalAccessTokens } from '../tokens';
import type { UsersArea } from '../users';
import { deleteOrphans } from './application/delete-orphans';
import { serviceAccounts } from './application/service-accounts';
import { serviceAccountStore } from './storage/service-account.store';
import { serviceAccountHandler } from './transport/service-account.handler';

/** Milliseconds between two searches for accounts whose group was purged. */
const orphanIntervalMs = 60_000;

/** Service accounts of groups and of the instance. */
export function composeServiceAccounts(
  { config, db, observe }: Pick<Edges, 'config' | 'db' | 'observe'>,
  {
    users,
    tokens,
    settings,
  }: {
    users: UsersArea;
    tokens: PersonalAccessTokens;
    settings: CurrentSettings;
  },
): Area {
  const store = serviceAccountStore(db);
  const { hostname: host } = new URL(config.SWITCHYARD_EXTERNAL_URL);
  const ownersMayCreate = async () => (await settings()).allow_top_level_group_owners_to_create_service_accounts;
  const useCases = observe(
    'service_accounts',
    serviceAccounts({ store, users: users.accounts, tokens, host, ownersMayCreate }),
  );
  const jobs = observe('service_accounts.jobs', {
    deleteOrphans: deleteOrphans({ orphans: store.orphans, deleteUser: users.deleteUser }),
  });
  return {
    services: [serviceAccountHandler(useCases)],
    start: () => [repeat('service accounts of purged groups', orphanIntervalMs, jobs.deleteOrphans)],
  };
}
