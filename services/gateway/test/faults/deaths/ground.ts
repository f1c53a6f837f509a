import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type Fixture, makeFixture, makeReviewer, type WorkingCopy } from '../../e2e/support/fixture';
import { type System, startSystem } from '../../e2e/support/system';

/** Which points of a list are fired, if any. */
export type Chosen = (points: readonly string[]) => readonly string[];

/** `it.each`, which takes no empty list. */
export const atEach = (points: readonly string[]) => (points.length === 0 ? () => undefined : it.each(points));

/** An installation whose processes die, and a project in it. */
export interface Ground {
  readonly system: System;
  readonly fixture: Fixture;
  /** For files of the tests; goes with the installation. */
  readonly folder: string;
  readonly work: WorkingCopy;
  /** Path of the merge requests of the project. */
  readonly requests: string;
  /** A name that nothing has yet. */
  nextName(prefix: string): string;
  /** Pushes a branch, until it is there. */
  push(name: string): Promise<unknown>;
  /** A new branch, pushed, with its merge request. */
  proposal(description?: string): Promise<{ name: string; iid: number }>;
  /** Waits until the point that was armed has fired. */
  fired(): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the installation. */
export async function openGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
  // Each test waits for what a dead process left behind.
  const system = await startSystem({
    SWITCHYARD_MAX_DEATHS: '100',
    SWITCHYARD_RESTART_PAUSE_MS: '200',
    SWITCHYARD_RECOVERY_SECONDS: '1',
    SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1',
    SWITCHYARD_REPOSITORY_STORAGES: 'default:1,second:0',
  });
  const fixture = await makeFixture(system, await makeReviewer(system), 'faults', folder);
  const work = await fixture.workingCopy('work');
  const requests = `/projects/${fixture.projectId}/merge_requests`;
  let number = 0;
  const nextName = (prefix: string): string => {
    number += 1;
    return `${prefix}-${number}`;
  };
  const push = (name: string) => eventually(() => work.push(name), { within: 30_000, every: 200 });
  return {
    ...{ system, fixture, folder, work, requests, nextName, push },
    async proposal(description = '') {
      const name = nextName('topic');
      await work.branch(name);
      await push(name);
      const { iid } = await fixture.ok('POST', requests, {
        source_branch: name,
        target_branch: 'main',
        title: name,
        description,
      });
      return { name, iid };
    },
    // What a process had taken that died before is left to it for 15 s.
    fired: () => eventually(() => expect(system.fired()).toBe(true), { within: 30_000 }),
    async close() {
      await system.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
