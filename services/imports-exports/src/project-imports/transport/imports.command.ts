import { type RunningImport, type StandingStage, secondsLeft } from '../domain/project-import';

const lineOf = ({ name, status, fetched, imported, page, pages }: StandingStage): string => {
  const place = status !== 'started' || pages === undefined ? '' : `, page ${page} of ${pages}`;
  return `  ${name}: ${status}, ${fetched} fetched, ${imported} imported${place}`;
};

/** Writes each import from a forge that has not ended, its stages with their counts, and how many imports there are. */
export function reportImports(running: readonly RunningImport[], write: (line: string) => void): void {
  for (const { projectId, forge, source, status, stages } of running) {
    const left = secondsLeft(stages);
    write(
      `${source} of ${forge} into ${projectId === undefined ? 'a project that is not made yet' : `project ${projectId}`}: ${status}` +
        (left === undefined ? '' : `, the stage ends in about ${left} s`),
    );
    for (const stage of stages) write(lineOf(stage));
  }
  write(`${running.length} imports run`);
}
