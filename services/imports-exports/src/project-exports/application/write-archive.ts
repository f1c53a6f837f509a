import { createHash, randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { isAppError, notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type Pack, pack } from 'tar-stream';
import {
  type ArchiveFile,
  archiveFormat,
  archiveKinds,
  type ExportedProject,
  type ProjectExport,
  type ProjectExportLease,
} from '../domain/project-export';
import type { FindProject, ProjectSources } from './exports.ports';
import { inParts } from './in-parts';
import { packArchive } from './pack-archive';

faultPoints.push(
  'project_export.records_read',
  'project_export.bundled',
  'project_export.uploads_read',
  'project_export.written',
);

/** What archives are written with. */
export interface WritingEdges {
  readonly sources: ProjectSources;
  readonly findProject: FindProject;
  readonly blobs: Pick<BlobStore, 'write'>;
  readonly remains: Pick<BlobRemains, 'expect' | 'renew'>;
  readonly externalUrl: string;
}

interface Entry {
  readonly name: string;
  /** Of a long one its bytes as they come, and how many. */
  readonly content: Uint8Array | { readonly size: number; readonly chunks: AsyncIterable<Uint8Array> };
}

const numbered = (folder: string, part: number, ending: string): string =>
  `${folder}/${String(part).padStart(6, '0')}${ending}`;

const json = (value: object): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`);

/** The record of a project with another description. */
const described = (lines: Uint8Array, description: string): Uint8Array =>
  json({ ...JSON.parse(Buffer.from(lines).toString()), description });

const add = (archive: Pack, { name, content }: Entry): Promise<void> =>
  new Promise((resolve, reject) => {
    const head = { name, mode: 0o644, mtime: new Date(0) };
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    if (content instanceof Uint8Array) archive.entry(head, Buffer.from(content), done);
    // Its bytes come from a service, which may break off: the archive is left then.
    else pipeline(content.chunks, archive.entry({ ...head, size: content.size }), done);
  });

/** Writes the archive of a project as its parts come (ADR 60). Memory does not depend on its size. */
export function writeArchive({ sources, findProject, blobs, remains, externalUrl }: WritingEdges) {
  async function* entries(
    { id, fullPath }: ExportedProject,
    { createdAt: at, description }: ProjectExport,
    requestId: string,
    taken: { files: number; fileBytes: number },
  ): AsyncGenerator<Entry> {
    const origin = { project_id: id, full_path: fullPath, url: externalUrl };
    yield { name: 'format.json', content: json({ format: archiveFormat, ...origin, exported_at: at }) };
    const counts: Record<string, number> = {};
    for (const { owner, kind } of archiveKinds) {
      let [after, total] = [0, 0];
      for (let part = 1; ; part += 1) {
        const { lines, count, next } = await sources.records(owner, kind, id, after, requestId);
        if (count === 0) break;
        const content = kind === 'project' && description !== undefined ? described(lines, description) : lines;
        yield { name: numbered(`records/${kind}`, part, '.ndjson'), content };
        total += count;
        after = next;
      }
      counts[kind] = total;
      faultPoint('project_export.records_read');
    }
    const parts = { repository: 0, wiki: 0 };
    for (const kind of ['repository', 'wiki'] as const) {
      for await (const content of inParts(sources.bundle(kind, id, requestId))) {
        parts[kind] += 1;
        yield { name: numbered(`${kind}.bundle`, parts[kind], ''), content };
      }
      faultPoint('project_export.bundled');
    }
    for await (const { upload, content: chunks } of sources.uploads(id, requestId)) {
      const { secret, fileName, size, uploader, createdAt } = upload;
      taken.files += 1;
      taken.fileBytes += size;
      const record = { secret, file_name: fileName, size, uploader: uploader || null, created_at: createdAt };
      yield { name: numbered('uploads', taken.files, '/record.json'), content: json(record) };
      yield { name: numbered('uploads', taken.files, '/content'), content: { size, chunks } };
    }
    faultPoint('project_export.uploads_read');
    // An archive that is cut has none.
    yield {
      name: 'end.json',
      content: json({
        records: counts,
        repository_parts: parts.repository,
        wiki_parts: parts.wiki,
        uploads: taken.files,
      }),
    };
  }

  return async (one: ProjectExportLease, keepLease: () => Promise<void>): Promise<ArchiveFile> => {
    const requestId = `project-export-${one.export.id}`;
    const project = await findProject(one.export.projectId, requestId);
    if (project === undefined) throw notFound('Project');
    const blob = `exports/${randomUUID()}`;
    await remains.expect(blob);
    const archive = pack();
    // Who reads it hears of it; it may fail before it is read.
    archive.on('error', () => undefined);
    const taken = { files: 0, fileBytes: 0 };
    const fill = async (): Promise<void> => {
      for await (const entry of entries(project, one.export, requestId, taken)) {
        await add(archive, entry);
        await keepLease();
        await remains.renew(blob);
      }
      archive.finalize();
    };
    const failed = fill().then(
      () => undefined,
      (error: Error) => {
        // One that is destroyed already hands on why.
        const isCause = !archive.destroying;
        // What cannot be read ends the file that is being written, which then has no row.
        archive.destroy(error);
        return isCause ? error : undefined;
      },
    );
    const digest = createHash('sha256');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for await (const chunk of packArchive(archive as AsyncIterable<Buffer>, () => taken)) {
        digest.update(chunk);
        yield chunk;
      }
    }
    const [stored] = await Promise.allSettled([blobs.write(blob, chunks())]);
    // What cannot be written ends the reading.
    archive.destroy();
    const failure = await failed;
    if (failure !== undefined) throw failure;
    if (stored.status === 'rejected') throw isAppError(stored.reason) ? stored.reason : unavailable(stored.reason);
    faultPoint('project_export.written');
    return { blob, size: stored.value, sha256: digest.digest('hex') };
  };
}
