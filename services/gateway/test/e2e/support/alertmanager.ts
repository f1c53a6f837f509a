import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually, freePort } from '@switchyard/testkit';
import { documentedAlertmanager } from './alerting-docs';

/** An alert as Prometheus hands it to Alertmanager; without `startsAt` it starts on arrival, without `endsAt` it goes on. */
export interface PostedAlert {
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly startsAt?: Date;
  readonly endsAt?: Date;
}

/** A running Alertmanager with one webhook receiver. */
export interface Alertmanager {
  post(alerts: readonly PostedAlert[]): Promise<void>;
  /** Notifications that failed for good or are being tried again, as its own metrics count them. */
  failedRequests(): Promise<number>;
  close(): Promise<void>;
}

const names = ['prometheus-alertmanager', 'alertmanager'];

const binary = names
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

/** A `describe` with the real Alertmanager; where it is not installed its tests count as skipped, with the reason in their name. */
export function describeWithAlertmanager(name: string, tests: () => void): void {
  if (binary !== undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: ${names.join(' or ')} is not installed)`, tests);
}

/**
 * Starts Alertmanager on a folder of its own, with the settings that are documented.
 * @param url address of the webhook
 * @param key credentials, sent as Bearer
 */
export async function startAlertmanager({ url, key }: { url: string; key: string }): Promise<Alertmanager> {
  if (binary === undefined) throw new Error('Alertmanager is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-alertmanager-'));
  const port = await freePort();
  writeFileSync(join(folder, 'alertmanager.yml'), documentedAlertmanager({ url, key }));
  const alertmanager: ChildProcess = spawn(
    binary,
    [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${origin}/-/ready`)).status).toBe(200), {
    within: 20_000,
    every: 50,
  });
  return {
    async post(alerts) {
      const reply = await fetch(`${origin}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(alerts),
      });
      expect([reply.status, await reply.text()]).toEqual([200, '']);
    },
    async failedRequests() {
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      const [, count = '0'] =
        /^alertmanager_notification_requests_failed_total\{integration="webhook"\} (\S+)$/m.exec(metrics) ?? [];
      return Number(count);
    },
    async close() {
      alertmanager.kill('SIGTERM');
      if (alertmanager.exitCode === null) await new Promise((settle) => alertmanager.once('exit', settle));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
