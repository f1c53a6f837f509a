import type { Repeating } from '@switchyard/background';
import { configuredOutbound } from '@switchyard/outbound';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { addressProblem, forgeaClient, forgeaHost, tokenRing } from '../forges';
import type { GistForges } from './application/imports.ports';
import { startGistImports } from './application/start-import';
import { sweepGistImports, workGistImports } from './application/work-imports';
import { recordEnd } from './storage/gist-import.events';
import { gistImportStore } from './storage/gist-import.store';
import { gistImportHandler } from './transport/gist-import.handler';
import { importSnippetBy } from './transport/snippets.client';

/** Builds imports of gists. */
export function composeGistImports({ db, config, peer, observe }: Edges): Area {
  const outbound = configuredOutbound(config);
  const forges: GistForges = {
    problemOf: (host) => addressProblem(outbound, host, forgeaHost),
    open: (host, token, signal) => forgeaClient(outbound, forgeaHost(host), token, signal),
  };
  const imports = gistImportStore(db, tokenRing(config));
  let working: Repeating | undefined;
  const starting = startGistImports({ imports, forges, workSoon: () => working?.soon() });
  return {
    services: [gistImportHandler(observe('gist_imports', starting))],
    start: () => {
      working = workGistImports({
        imports,
        forges,
        importSnippet: importSnippetBy(peer('collaboration')),
        publish: recordEnd,
      });
      return [working, sweepGistImports(imports)];
    },
    close: () => outbound.close(),
  };
}
