import { join } from 'node:path';
import { alertList } from './alert-list.mjs';
import { alerts } from './alerts.mjs';
import { archives } from './archives.mjs';
import { boarding } from './boarding.mjs';
import { bombs } from './bombs.mjs';
import { burst } from './burst.mjs';
import { bus } from './bus.mjs';
import { capacity } from './capacity.mjs';
import { changes } from './changes.mjs';
import { deliveries } from './deliveries.mjs';
import { epics } from './epics.mjs';
import { events } from './events.mjs';
import { createReport, machine } from './figures.mjs';
import { filters } from './filters.mjs';
import { forecast } from './forecast.mjs';
import { fork } from './fork.mjs';
import { growth } from './growth.mjs';
import { idle } from './idle.mjs';
import { imports } from './imports.mjs';
import { startInstallation, temporaryFolder } from './installation.mjs';
import { issues } from './issues.mjs';
import { ledger } from './ledger.mjs';
import { list } from './list.mjs';
import { mentions } from './mentions.mjs';
import { notes } from './notes.mjs';
import { npmInstall } from './npm-install.mjs';
import { packages, transfers } from './packages.mjs';
import { recheck } from './recheck.mjs';
import { rename } from './rename.mjs';
import { sbom } from './sbom.mjs';
import { shares } from './shares.mjs';
import { startSink } from './sink.mjs';
import { start } from './start.mjs';
import { todos } from './todos.mjs';
import { train } from './train.mjs';
import { trainPolicy } from './train-policy.mjs';
import { variables } from './variables.mjs';

/** Benchmarks that share one running installation, in the order they run. */
const onRunning = {
  list,
  growth,
  filters,
  recheck,
  rename,
  train,
  boarding,
  issues,
  epics,
  notes,
  todos,
  ledger,
  events,
  mentions,
  variables,
  alerts,
  'alert-list': alertList,
  changes,
  shares,
  fork,
  burst,
  bombs,
  packages,
  transfers,
  sbom,
};
/** Benchmarks of the installation itself, and of what needs none. */
const ofStarting = {
  bus,
  deliveries,
  imports,
  archives,
  'npm-install': npmInstall,
  idle,
  capacity,
  start,
  'train-policy': trainPolicy,
  forecast,
};

const known = [...Object.keys(onRunning), ...Object.keys(ofStarting)];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`npm run bench: no benchmark named ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}
const wanted = (benchmarks) =>
  Object.entries(benchmarks).filter(([name]) => chosen.length === 0 || chosen.includes(name));

const report = createReport();
report.note(`machine: ${machine()}`);

if (wanted(onRunning).length > 0) {
  const folder = temporaryFolder('running');
  const sink = await startSink();
  let installation;
  try {
    report.note('starting Switchyard, traces on at ratio 0.01');
    installation = await startInstallation({
      data: join(folder.path, 'data'),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint, OTEL_TRACES_SAMPLER_ARG: '0.01' },
    });
    for (const [, benchmark] of wanted(onRunning)) await benchmark(installation, report);
    report.note(`the trace sink has taken ${sink.received()} bytes`);
  } finally {
    await installation?.stop();
    sink.close();
    folder.remove();
  }
}
for (const [, benchmark] of wanted(ofStarting)) await benchmark(report);

process.exitCode = report.table() ? 0 : 1;
