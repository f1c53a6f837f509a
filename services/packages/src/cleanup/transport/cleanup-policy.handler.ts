import { PackageCleanupServiceService } from '@switchyard/protos/packages/v1/package_cleanup';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { CleanupPolicyStore } from '../application/clean-packages';
import type { CleanupPolicy } from '../domain/cleanup-policy';
import { presentCleanupPolicy } from '../presenters/cleanup-policy.presenter';

/** A part that is given; 0 clears it. */
const part = <K extends keyof CleanupPolicy>(name: K, value: number | undefined): Partial<CleanupPolicy> =>
  value === undefined ? {} : { [name]: value === 0 ? undefined : value };

/** Serves `PackageCleanupService`; the gateway has resolved the project that requests name. */
export const cleanupPolicyHandler = (
  policies: Pick<CleanupPolicyStore, 'get' | 'change'>,
  cleanSoon: () => void,
): ServiceImplementation =>
  implement(PackageCleanupServiceService, {
    getPackageCleanupPolicy: async ({ projectId }) => entity(presentCleanupPolicy(await policies.get(projectId))),

    async updatePackageCleanupPolicy({ projectId, ...given }) {
      const changed = await policies.change(projectId, {
        ...part('keepFiles', given.keepFiles),
        ...part('keepVersions', given.keepVersions),
        ...part('olderThanDays', given.olderThanDays),
      });
      cleanSoon();
      return entity(presentCleanupPolicy(changed));
    },
  });
