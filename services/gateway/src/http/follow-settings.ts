import { randomUUID } from 'node:crypto';
import { type Repeating, repeat } from '@switchyard/background';
import type { SettingsServiceService } from '@switchyard/protos/groups_admin/v1/settings';
import type { RpcClient } from '@switchyard/rpc';
import { withSettings } from './limit-settings';
import type { RateLimits } from './rate-limits';

/** Milliseconds that one question waits for a change, and those until it is asked again. */
const waitMs = 25_000;
const pauseMs = 250;

/**
 * Keeps the limits that administrators set, within a second of the change on every replica. While groups-admin is away
 * those that were known last stay in force.
 */
export function followSettings(client: RpcClient<typeof SettingsServiceService>, limits: RateLimits): Repeating {
  const configured = limits.inForce();
  let known = 0;
  return repeat('settings of the instance', pauseMs, async (signal) => {
    const options = { requestId: randomUUID(), signal, timeoutMs: waitMs + 5_000 };
    const found = await client.followSettings({ version: known, waitMs: known === 0 ? 0 : waitMs }, options);
    known = found.version;
    limits.keep(withSettings(configured, found.limits));
  });
}
