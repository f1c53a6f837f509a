import { setTimeout as pause } from 'node:timers/promises';
import type { Notices } from '@switchyard/database';
import {
  type CompleteLimits,
  type InstanceSettings,
  requireSettings,
  type StoredSettings,
  settingDefaults,
  withChange,
  withLimits,
} from '../domain/instance-settings';
import { settingsChannel } from '../domain/settings-channel';
import type { SettingsStore, VersionedSettings } from './settings.ports';

/** Milliseconds for which a process may act on settings that it has read: a change counts within a second. */
const keptMs = 500;
/** Milliseconds between two reads while a gateway waits, for a change whose notice was lost. */
const pollIntervalMs = 5_000;
const maxWaitMs = 30_000;

/** Defaults that the environment gives. */
export type EnvironmentDefaults = Pick<
  InstanceSettings,
  'deletion_adjourned_period' | 'max_personal_access_token_lifetime'
>;

/** The settings as they hold now, for the areas that act on them; at most 500 ms old. */
export type CurrentSettings = () => Promise<InstanceSettings>;

/** Settings that administrators change while the instance runs. */
export function manageSettings({
  settings,
  notices,
  environment,
}: {
  settings: SettingsStore;
  notices: Notices;
  environment: EnvironmentDefaults;
}) {
  const draining = new AbortController();
  let kept: { readonly at: number; readonly read: Promise<VersionedSettings> } | undefined;

  const withDefaults = ({ limits: _, ...given }: StoredSettings): InstanceSettings => ({
    ...settingDefaults,
    ...environment,
    ...given,
  });

  function recent(): Promise<VersionedSettings> {
    const now = performance.now();
    if (kept !== undefined && now - kept.at < keptMs) return kept.read;
    const read = settings.read();
    kept = { at: now, read };
    read.catch(() => {
      kept = undefined;
    });
    return read;
  }

  const shown = ({ settings: given }: VersionedSettings, defaults: CompleteLimits) => ({
    settings: withDefaults(given),
    limits: withLimits(defaults, given.limits),
  });

  return {
    /** The settings as they hold now; at most 500 ms old. */
    current: async (): Promise<InstanceSettings> => withDefaults((await recent()).settings),

    /** All settings; `defaults`: limits that hold where none was set. */
    async get(defaults: CompleteLimits): Promise<{ settings: InstanceSettings; limits: CompleteLimits }> {
      return shown(await settings.read(), defaults);
    },

    /** @throws AppError invalid with all problems */
    async update(
      change: StoredSettings,
      defaults: CompleteLimits,
    ): Promise<{ settings: InstanceSettings; limits: CompleteLimits }> {
      requireSettings(change);
      const changed = await settings.change((given) => withChange(given, change));
      kept = undefined;
      return shown(changed, defaults);
    },

    /** The settings as soon as their version is above `version`, at the latest after `waitMs`. */
    async follow(version: number, waitMs: number, signal: AbortSignal): Promise<VersionedSettings> {
      const deadline = Date.now() + Math.min(waitMs, maxWaitMs);
      for (;;) {
        // Before the read, so that no change falls between the two.
        const changed = new AbortController();
        const end = (): void => changed.abort();
        const unlisten = notices.listen(settingsChannel, end);
        draining.signal.addEventListener('abort', end);
        try {
          const found = await settings.read();
          const left = deadline - Date.now();
          if (found.version > version || left <= 0 || signal.aborted || draining.signal.aborted) return found;
          const ended = AbortSignal.any([signal, changed.signal]);
          await pause(Math.min(left, pollIntervalMs), undefined, { signal: ended }).catch(() => undefined);
        } finally {
          draining.signal.removeEventListener('abort', end);
          unlisten();
        }
      }
    },

    /** Ends every wait. */
    drain: (): void => draining.abort(),
  };
}

/** Use cases of settings. */
export type ManageSettings = ReturnType<typeof manageSettings>;
