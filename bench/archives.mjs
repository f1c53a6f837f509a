import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startInstallation, temporaryFolder } from './installation.mjs';
import { watchGrowth } from './packages.mjs';

/** Part of the project that comes in and goes out: 1 is the whole of it. */
const scale = Number(process.env.BENCH_ARCHIVES_SCALE ?? 1);
const counts = { issues: 10_000 * scale, notes: 60_000 * scale, files: 200 * scale };
/** Bytes of a file that a note links to. */
const fileBytes = 512 * 1_024;
const growthTarget = 128;

const at = (minutes) => new Date(Date.UTC(2020, 0, 1) + minutes * 60_000).toISOString();
const words = 'What was seen, what was expected, and what to do about it, as people write it in an issue. ';

const secretOf = (number) => number.toString(16).padStart(32, '0');
const linkOf = (number) => `![shot](/uploads/${secretOf(number)}/shot.png) `;

/** Records of a project by kind, in the order of an archive; all are of the one who imports. */
const kinds = {
  labels: (number) => ({
    ...{ title: `label-${number}`, color: '#d9534f', description: null, archived: false, priority: null, group: false },
    ...{ created_at: at(0), updated_at: at(0) },
  }),
  issues: (iid) => ({
    ...{ iid, title: `Number ${iid} does not do what it should`, description: words.repeat(1 + (iid % 10)) },
    ...{ state: iid % 2 === 0 ? 'closed' : 'opened', issue_type: 'issue', confidential: false, severity: 'unknown' },
    ...{ discussion_locked: null, author: 'root', assignees: ['root'], labels: [`label-${1 + (iid % 40)}`] },
    ...{ milestone: null, due_date: null, weight: null, health_status: null, time_estimate: 0, total_time_spent: 0 },
    ...{ closed_by: 'root', closed_at: iid % 2 === 0 ? at(iid + 60) : null, created_at: at(iid), updated_at: at(iid) },
  }),
  notes: (id) => ({
    ...{ id, noteable_type: 'Issue', noteable_iid: 1 + ((id * 7) % counts.issues), commit_id: null, snippet: null },
    ...{ discussion_id: id.toString(16).padStart(40, '0'), type: null, author: 'root', system: false, action: null },
    ...{
      body: (id <= counts.files ? linkOf(id) : '') + words.repeat(1 + (id % 5)),
      internal: false,
      original_position: null,
      position: null,
    },
    ...{ resolved_by: null, resolved_at: null, created_at: at(id), updated_at: at(id) },
  }),
  issue_events: (iid) => ({
    iid,
    events: [
      { id: iid, kind: 'label', action: 'add', title: `label-${1 + (iid % 40)}`, user: 'root', created_at: at(iid) },
    ],
  }),
  note_emoji: (on) => ({ on, award_emoji: [{ name: 'thumbsup', user: 'root', created_at: at(on) }] }),
};
const total = {
  ...{ labels: 40, issues: counts.issues, notes: counts.notes },
  ...{ issue_events: counts.issues, note_emoji: counts.notes / 10 },
};

/** Writes such an archive. */
function writeArchive(folder) {
  const names = [];
  const write = (name, content) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    names.push(name);
  };
  write('format.json', JSON.stringify({ format: 3, full_path: 'a/b', exported_at: at(0) }));
  for (const [kind, one] of Object.entries(kinds))
    for (let page = 0; page * 100 < total[kind]; page += 1) {
      const numbers = Array.from(
        { length: Math.min(100, total[kind] - page * 100) },
        (_, index) => page * 100 + index + 1,
      );
      const lines = numbers.map((number) => `${JSON.stringify(one(number))}\n`).join('');
      write(`records/${kind}/${String(page + 1).padStart(6, '0')}.ndjson`, lines);
    }
  for (let number = 1; number <= counts.files; number += 1) {
    const entry = `uploads/${String(number).padStart(6, '0')}`;
    const record = { secret: secretOf(number), file_name: 'shot.png', size: fileBytes, uploader: 'root' };
    write(`${entry}/record.json`, JSON.stringify({ ...record, created_at: at(number) }));
    write(`${entry}/content`, randomBytes(fileBytes));
  }
  const parts = { repository_parts: 0, wiki_parts: 0, uploads: counts.files };
  write('end.json', JSON.stringify({ records: total, ...parts }));
  const archive = join(folder, 'archive.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', folder, '-T', '-'], { input: `${names.join('\n')}\n` });
  return archive;
}

/** Waits until an import or export has ended well. */
async function ended({ api }, path, field) {
  for (;;) {
    await sleep(500);
    const { body } = await api('GET', path);
    if (body[field] === 'finished') return;
    if (body[field] === 'failed' || body[field] === 'none') throw new Error(body.import_error ?? body.export_error);
  }
}

/** A project of many issues and notes from an archive, and out again: time, and memory of each process. */
export async function archives(report) {
  const folder = temporaryFolder('archives');
  let installation;
  try {
    const archive = writeArchive(join(folder.path, 'archive'));
    installation = await startInstallation({ data: join(folder.path, 'data') });
    const { url, rootToken, api } = installation;
    const headers = { 'PRIVATE-TOKEN': rootToken };
    const measured = async (name, work) => {
      const since = performance.now();
      const { result, growth, name: process } = await watchGrowth(installation, work);
      report.figure(name, [(performance.now() - since) / 60_000], { unit: 'min', digits: 1 });
      report.figure(`    growth of ${process}, the most of all processes`, [growth / 2 ** 20], {
        ...{ unit: 'MiB', digits: 0, target: growthTarget },
      });
      return result;
    };
    const { issues, notes, files } = counts;
    const id = await measured(`archives: import of ${issues} issues, ${notes} notes, ${files} files`, async () => {
      const form = new FormData();
      form.append('path', 'moved');
      form.append('file', await openAsBlob(archive), 'archive.tar.gz');
      const reply = await fetch(`${url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
      if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`);
      const project = await reply.json();
      await ended(installation, `/projects/${project.id}/import`, 'import_status');
      return project.id;
    });
    await measured('archives: export of the same', async () => {
      await api('POST', `/projects/${id}/export`);
      await ended(installation, `/projects/${id}/export`, 'export_status');
    });
    const reply = await fetch(`${url}/api/v4/projects/${id}/export/download`, { headers });
    const end = execFileSync('tar', ['-xzOf', '-', 'end.json'], { input: Buffer.from(await reply.arrayBuffer()) });
    const { records, uploads } = JSON.parse(end.toString());
    for (const [kind, count] of Object.entries(total))
      if (records[kind] !== count) throw new Error(`${records[kind]} of ${count} ${kind}`);
    if (uploads !== files) throw new Error(`${uploads} of ${files} files`);
  } finally {
    await installation?.stop();
    folder.remove();
  }
}
