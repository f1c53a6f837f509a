import { createHash, randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { isAppError, notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type Pack, pack } from 'tar-stream';
import {
  type ArchiveFile,
  archiveFormat,
  archiveKinds,
  type ExportedProject,
  type ProjectExportLease,
} from '../domain/project-export';
import type { FindProject, ProjectSources } from './exports.ports';

faultPoints.push(
  'project_export.records_read',
  'project_export.bundled',
  'project_export.uploads_read',
  'project_export.written',
);

/**
 * Bytes of a part of a repository. A tar file says how long an entry is before it comes, which of a bundle is not known
 * until it ends.
 */
const partBytes = 4 << 20;

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

/** The bytes of a stream in parts of one length, but for the last. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    gathered.push(chunk);
    size += chunk.length;
    if (size < partBytes) continue;
    yield Buffer.concat(gathered);
    [gathered, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(gathered);
}

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
  async function* entries(project: ExportedProject, at: Date, requestId: string): AsyncGenerator<Entry> {
    const { id, fullPath } = project;
    const origin = { project_id: id, full_path: fullPath, url: externalUrl };
    yield { name: 'format.json', content: json({ format: archiveFormat, ...origin, exported_at: at }) };
    const counts: Record<string, number> = {};
    for (const { owner, kind } of archiveKinds) {
      let [after, total] = [0, 0];
      for (let part = 1; ; part += 1) {
        const { lines, count, next } = await sources.records(owner, kind, id, after, requestId);
        if (count === 0) break;
        yield { name: numbered(`records/${kind}`, part, '.ndjson'), content: lines };
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
    let uploads = 0;
    for await (const { upload, content: chunks } of sources.uploads(id, requestId)) {
      uploads += 1;
      const { secret, fileName, size, uploader, createdAt } = upload;
      const record = { secret, file_name: fileName, size, uploader: uploader || null, created_at: createdAt };
      yield { name: numbered('uploads', uploads, '/record.json'), content: json(record) };
      yield { name: numbered('uploads', uploads, '/content'), content: { size, chunks } };
    }
    faultPoint('project_export.uploads_read');
    // An archive that is cut has none.
    yield {
      name: 'end.json',
      content: json({ records: counts, repository_parts: parts.repository, wiki_parts: parts.wiki, uploads }),
    };
  }

  return async (one: ProjectExportLease, keepLease: () => Promise<void>): Promise<ArchiveFile> => {
    const requestId = `project-export-${one.export.id}`;
    const project = await findProject(one.export.projectId, requestId);
    if (project === undefined) throw notFound('Project');
    const blob = `exports/${randomUUID()}`;
    await remains.expect(blob);
    const archive = pack();
    const packed = archive.pipe(createGzip());
    archive.on('error', (error) => packed.destroy(error));
    const fill = async (): Promise<void> => {
      for await (const entry of entries(project, one.export.createdAt, requestId)) {
        await add(archive, entry);
        await keepLease();
        await remains.renew(blob);
      }
      archive.finalize();
    };
    // What cannot be read ends the file that is being written, which then has no row.
    const filled = fill().catch((error: Error) => {
      packed.destroy(error);
      throw error;
    });
    const digest = createHash('sha256');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for await (const chunk of packed) {
        digest.update(chunk as Buffer);
        yield chunk as Buffer;
      }
    }
    const written = blobs.write(blob, chunks());
    const [read, stored] = await Promise.allSettled([filled, written]);
    if (read.status === 'rejected') throw read.reason;
    if (stored.status === 'rejected') throw isAppError(stored.reason) ? stored.reason : unavailable(stored.reason);
    faultPoint('project_export.written');
    return { blob, size: stored.value, sha256: digest.digest('hex') };
  };
}
