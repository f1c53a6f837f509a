import { gauge } from '@switchyard/telemetry';
import { admissions, runningProcesses } from './git-work';

/** Measures what git does for callers and in the background, until it is closed. */
export function measureGit(): { close(): Promise<void> } {
  const kinds = Object.entries(admissions);
  const ends = [
    gauge(
      { name: 'switchyard_git_processes', help: 'git processes that run, by whom they serve', labels: ['for'] },
      async () => Object.entries(runningProcesses()).map(([label, value]) => ({ labels: { for: label }, value })),
    ),
    gauge(
      { name: 'switchyard_git_places_taken', help: 'Calls and transfers that hold a place for git', labels: ['kind'] },
      async () => kinds.map(([kind, { running }]) => ({ labels: { kind }, value: running })),
    ),
    gauge(
      { name: 'switchyard_git_waiting', help: 'Calls and transfers that wait for a place for git', labels: ['kind'] },
      async () => kinds.map(([kind, { waiting }]) => ({ labels: { kind }, value: waiting })),
    ),
    gauge(
      {
        name: 'switchyard_git_refused',
        help: 'Calls and transfers that found no place for git since the start, by whose share was used up',
        labels: ['kind', 'share'],
      },
      async () =>
        kinds.flatMap(([kind, { refused }]) =>
          Object.entries(refused).map(([share, value]) => ({ labels: { kind, share }, value })),
        ),
    ),
  ];
  return {
    async close() {
      for (const end of ends) end();
    },
  };
}
