import { repeat } from '@switchyard/background';

/** Milliseconds between two searches for projects whose packages are to be measured. */
const interval = 5_000;

/** Measurements of packages in the database. */
export interface PackageMeasurements {
  /** Measures the packages of due projects, a batch of them, and publishes their sizes; returns how many. */
  measureDue(): Promise<number>;
}

/** Measures the packages of a project some seconds after a change, and once a day. */
export const measurePackages = (measurements: PackageMeasurements) =>
  repeat('sizes of packages', interval, async (stopping) => {
    while (!stopping.aborted && (await measurements.measureDue()) > 0);
  });
