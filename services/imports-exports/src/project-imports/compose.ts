import type { Repeating } from '@switchyard/background';
import { configuredOutbound } from '@switchyard/outbound';
import { type Area, command } from '@switchyard/service';
import type { Edges } from '../edges';
import { forgesBy, tokenRing } from '../forges';
import type { PlaceholdersArea } from '../placeholders';
import { type ImportEdges, manageImports } from './application/manage-imports';
import { workImports } from './application/work-imports';
import { filesStore } from './storage/files.store';
import { importStore } from './storage/import.store';
import { peopleStore } from './storage/people.store';
import { runningImports } from './storage/stages.store';
import { importTargetsOf } from './transport/import-targets.client';
import { reportImports } from './transport/imports.command';
import { projectImportHandler } from './transport/project-import.handler';

/** Builds imports of projects from other forges. */
export function composeProjectImports(
  { db, config, peer, observe, directory }: Edges,
  {
    standIn,
    promiseRoles,
    ...ofArchives
  }: Pick<PlaceholdersArea, 'standIn' | 'promiseRoles'> & Pick<ImportEdges, 'cancelArchive' | 'failuresOfArchive'>,
): Area {
  const outbound = configuredOutbound(config);
  const files = filesStore(db);
  const edges = {
    imports: importStore(db, tokenRing(config)),
    forges: forgesBy(outbound, config.SWITCHYARD_FORGEB_URL),
    targets: importTargetsOf(peer),
    people: { ...peopleStore(db, directory), standIn, promiseRoles },
    files,
    fileCounts: files.counts,
  };
  let working: Repeating | undefined;
  const workSoon = (): void => working?.soon();
  return {
    services: [projectImportHandler(observe('project_imports', manageImports({ ...edges, workSoon, ...ofArchives })))],
    start: () => {
      working = workImports(edges);
      return [working];
    },
    close: () => outbound.close(),
  };
}

/** The sub-command `imports`; see `reportImports`. */
export const listImports = command({
  async run({ db, write }) {
    reportImports(await runningImports(db), write);
  },
});
