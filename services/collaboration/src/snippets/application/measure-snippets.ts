import { repeat } from '@switchyard/background';

/** Milliseconds between two searches for projects whose snippets are to be measured. */
const interval = 5_000;

/** Measurements of snippets in the database. */
export interface SnippetMeasurements {
  /** Measures the snippets of due projects, a batch of them, and publishes their sizes; returns how many. */
  measureDue(): Promise<number>;
}

/** Measures the snippets of a project some seconds after a change, and once a day. */
export const measureSnippets = (measurements: SnippetMeasurements) =>
  repeat('sizes of snippets', interval, async (stopping) => {
    while (!stopping.aborted && (await measurements.measureDue()) > 0);
  });
