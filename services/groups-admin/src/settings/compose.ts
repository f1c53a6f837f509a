import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { type CurrentSettings, manageSettings } from './application/manage-settings';
import { settingsStore } from './storage/settings.store';
import { settingsHandler } from './transport/settings.handler';

/** Settings of the instance, and what the areas read of them. */
export interface SettingsArea extends Area {
  readonly current: CurrentSettings;
}

/** Settings that administrators change while the instance runs; where none was set the environment has the word. */
export function composeSettings({ config, db }: Edges): SettingsArea {
  const manage = manageSettings({
    settings: settingsStore(db),
    notices: db.notices,
    environment: {
      deletion_adjourned_period: config.SWITCHYARD_DELETION_DELAY_DAYS,
      max_personal_access_token_lifetime: config.SWITCHYARD_TOKEN_LIFETIME_DAYS,
    },
  });
  return { services: [settingsHandler(manage)], current: manage.current, drain: manage.drain };
}
