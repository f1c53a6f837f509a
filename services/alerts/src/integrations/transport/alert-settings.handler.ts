import { AlertSettingsServiceService } from '@switchyard/protos/alerts/v1/alert_settings';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import { scopeOf } from '../../alerts';
import { type AlertSettings, licensedSettings } from '../domain/alert-settings';
import { presentAlertSettings } from '../presenters/alert-settings.presenter';

/** Use cases behind the service. */
export interface AlertSettingsUseCases {
  readonly getSettings: (projectId: number) => Promise<AlertSettings>;
  readonly updateSettings: (projectId: number, change: Partial<AlertSettings>) => Promise<AlertSettings>;
}

/** Serves `AlertSettingsService`. */
export const alertSettingsHandler = ({ getSettings, updateSettings }: AlertSettingsUseCases): ServiceImplementation =>
  implement(AlertSettingsServiceService, {
    async getAlertSettings({ projectId }, context) {
      const scope = scopeOf(context, projectId);
      return entity(presentAlertSettings(await getSettings(scope.projectId), scope.tier));
    },

    async updateAlertSettings({ projectId, ...change }, context) {
      const scope = scopeOf(context, projectId);
      const settings = await updateSettings(scope.projectId, licensedSettings(change, scope.tier));
      return entity(presentAlertSettings(settings, scope.tier));
    },
  });
