import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuByRole } from './cpu.mjs';
import { startInstallation, temporaryFolder } from './installation.mjs';

const restMs = 30_000;
const measuredMs = 60_000;
/** Percent of one core: all processes and PostgreSQL together. */
const cpuTarget = 2;
/** Transactions a second in all databases; a statement outside a transaction is one. */
const transactionTarget = 8;

/** Transactions so far by database. */
async function transactions(db) {
  const { rows } = await db.query(
    `select datname as name, (xact_commit + xact_rollback)::float8 as count from pg_stat_database
    where datname like 'switchyard%'`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** What an idle installation costs: CPU of its processes and transactions of its databases over 60 s. */
export async function idle(report) {
  const folder = temporaryFolder('idle');
  let installation;
  let db;
  try {
    installation = await startInstallation({ data: join(folder.path, 'data'), env: { LOG_LEVEL: 'info' } });
    await sleep(restMs);
    db = await installation.connect('postgres');
    const [cpuBefore, transactionsBefore] = [cpuByRole(installation.launcherPid), await transactions(db)];
    await sleep(measuredMs);
    const [cpuAfter, transactionsAfter] = [cpuByRole(installation.launcherPid), await transactions(db)];
    const shares = [...cpuAfter].map(([role, used]) => [
      role,
      ((used - (cpuBefore.get(role) ?? 0)) / measuredMs) * 100,
    ]);
    const total = shares.reduce((sum, [, share]) => sum + share, 0);
    report.figure('idle: CPU of everything', [total], { unit: '% of a core', target: cpuTarget });
    for (const [role, share] of shares.sort(([, a], [, b]) => b - a))
      report.figure(`    ${role}`, [share], { unit: '% of a core' });
    const rates = [...transactionsAfter].map(([name, count]) => [
      name,
      ((count - (transactionsBefore.get(name) ?? 0)) / measuredMs) * 1_000,
    ]);
    const all = rates.reduce((sum, [, rate]) => sum + rate, 0);
    report.figure('idle: transactions of all databases', [all], { unit: '/s', target: transactionTarget });
    for (const [name, rate] of rates) report.figure(`    ${name}`, [rate], { unit: '/s' });
  } finally {
    await db?.end();
    await installation?.stop();
    folder.remove();
  }
}
