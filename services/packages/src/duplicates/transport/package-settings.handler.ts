import { PackageSettingsServiceService } from '@switchyard/protos/packages/v1/package_settings';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ManagedDuplicates } from '../application/manage-duplicates';
import { isDuplicated } from '../domain/duplicates';
import { presentPackageSettings } from '../presenters/package-settings.presenter';

/** Serves `PackageSettingsService`; the gateway has resolved the group that requests name. */
export const packageSettingsHandler = (duplicates: ManagedDuplicates): ServiceImplementation =>
  implement(PackageSettingsServiceService, {
    getPackageSettings: async ({ groupId }) => entity(presentPackageSettings(await duplicates.get(groupId))),

    async updatePackageSettings({ groupId, duplicates: changes }) {
      const known = changes.flatMap(({ format, ...change }) => (isDuplicated(format) ? [{ ...change, format }] : []));
      return entity(presentPackageSettings(await duplicates.update(groupId, known)));
    },
  });
