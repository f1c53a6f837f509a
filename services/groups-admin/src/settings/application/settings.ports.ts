import type { StoredSettings } from '../domain/instance-settings';

/** Settings and how often they were changed. */
export interface VersionedSettings {
  readonly settings: StoredSettings;
  readonly version: number;
}

/** Settings of the instance in the database. */
export interface SettingsStore {
  read(): Promise<VersionedSettings>;
  /** Locks the settings and saves what `decide` returns; notifies those who follow them. */
  change(decide: (settings: StoredSettings) => StoredSettings): Promise<VersionedSettings>;
}
