import { type Repeating, repeat } from '@switchyard/background';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { PackageStore } from './package.ports';

faultPoints.push('package.destroyed');

/** Milliseconds between two runs; deletions start one themselves. */
const interval = 60_000;

/** Packages that one statement deletes. */
const batch = 100;

/** Removes what is marked for destruction, now, every minute and on request; then its contents are collected. */
export const destroyPackages = (packages: PackageStore, collectSoon: () => void): Repeating =>
  repeat('deleted packages', interval, async (stopping) => {
    let destroyed = batch;
    while (!stopping.aborted && destroyed === batch) {
      destroyed = await packages.destroy(batch);
      faultPoint('package.destroyed');
    }
    collectSoon();
  });
