import { repeat } from '@switchyard/background';

/** Milliseconds between two searches for projects whose packages and uploads are to be measured. */
const interval = 5_000;

/** Measurements of packages and uploads in the database. */
export interface PackageMeasurements {
  /** Measures the packages and uploads of due projects, a batch of them, and publishes their sizes; returns how many. */
  measureDue(): Promise<number>;
}

/** Measures the packages and uploads of a project some seconds after a change, and once a day. */
export const measurePackages = (measurements: PackageMeasurements) =>
  repeat('sizes of packages and uploads', interval, async (stopping) => {
    while (!stopping.aborted && (await measurements.measureDue()) > 0);
  });
