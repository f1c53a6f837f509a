import { configuredOutbound } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { addressProblem, forgeaClient, forgeaHost, tokenRing } from '../forges';
import { workers } from '../leases';
import type { GistForges } from './application/imports.ports';
import { startGistImports } from './application/start-import';
import { sweepGistImports, workGistImports } from './application/work-imports';
import { recordEnd } from './storage/gist-import.events';
import { gistImportStore } from './storage/gist-import.store';
import { gistImportHandler } from './transport/gist-import.handler';
import { importSnippetBy } from './transport/snippets.client';

/** Imports that a process works on at a time: one from a slow forge holds nobody else's up. */
const atOnce = 3;

/** Builds imports of gists. */
export function composeGistImports({ db, config, peer, observe }: Edges): Area {
  const outbound = configuredOutbound(config);
  const forges: GistForges = {
    problemOf: (host) => addressProblem(outbound, host, forgeaHost),
    open: (host, token, signal) => forgeaClient(outbound, forgeaHost(host), token, signal),
  };
  const imports = gistImportStore(db, tokenRing(config));
  const working = workers(atOnce);
  const starting = startGistImports({ imports, forges, workSoon: working.soon });
  return {
    services: [gistImportHandler(observe('gist_imports', starting))],
    start: () => {
      const edges = { imports, forges, importSnippet: importSnippetBy(peer('collaboration')), publish: recordEnd };
      return [...working.start(() => workGistImports(edges)), sweepGistImports(imports)];
    },
    close: () => outbound.close(),
  };
}
