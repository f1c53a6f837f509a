import { AlertSettingsServiceService } from '@switchyard/protos/alerts/v1/alert_settings';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { AlertSettings } from '../domain/alert-settings';
import { presentAlertSettings } from '../presenters/alert-settings.presenter';
import { scopeOf } from './project-scope';

/** Use cases behind the service. */
export interface AlertSettingsUseCases {
  readonly getSettings: (projectId: number) => Promise<AlertSettings>;
  readonly updateSettings: (projectId: number, change: Partial<AlertSettings>) => Promise<AlertSettings>;
}

/** Serves `AlertSettingsService`. */
export const alertSettingsHandler = ({ getSettings, updateSettings }: AlertSettingsUseCases): ServiceImplementation =>
  implement(AlertSettingsServiceService, {
    getAlertSettings: async ({ projectId }, context) =>
      entity(presentAlertSettings(await getSettings(scopeOf(context, projectId).projectId))),

    updateAlertSettings: async ({ projectId, ...change }, context) =>
      entity(presentAlertSettings(await updateSettings(scopeOf(context, projectId).projectId, change))),
  });
