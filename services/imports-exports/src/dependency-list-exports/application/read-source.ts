import { createHash } from 'node:crypto';
import { isAppError } from '@switchyard/errors';
import { type BomPart, componentKey } from '../../boms';
import { type ReadLockFile, unreadable } from '../../lock-files';
import type { Reports } from '../../reports';
import { type ExportSource, type ListSize, projectRef, requireBounds } from '../domain/dependency-list-export';
import type { ExportLease, SourceReading, SourceRows } from '../domain/export-work';
import type { ExportWork, PipelineSources } from './exports.ports';

/** Rows of one statement. */
const batch = 1_000;

/** What reading works with. */
export interface ReadingEdges {
  readonly work: Pick<ExportWork, 'addRows' | 'resolveLinks' | 'finishSource'>;
  readonly reports: Pick<Reports, 'read'>;
  readonly pipelines: Pick<PipelineSources, 'readLockFile'>;
  readonly readLockFile: ReadLockFile;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A name within a source, as it is compared: its digest, as names may be long. */
const refOf = (text: string): Buffer => sha256(text).subarray(0, 16);

/** Rows that gather until there are enough for a statement. */
class Gathered {
  private rows = Gathered.none();
  private count = 0;

  private static none() {
    return {
      components: [] as SourceRows['components'][number][],
      refs: [] as SourceRows['refs'][number][],
      links: [] as SourceRows['links'][number][],
      properties: [] as SourceRows['properties'][number][],
    };
  }

  get isFull(): boolean {
    return this.count >= batch;
  }

  take(): SourceRows {
    const taken = this.rows;
    this.rows = Gathered.none();
    this.count = 0;
    return taken;
  }

  add(part: BomPart, projectId: number): void {
    this.count += 1;
    if (part.kind === 'component') {
      const text = JSON.stringify(part.component);
      const key = componentKey(part.component, (whole) => sha256(whole).toString('hex'));
      this.rows.components.push({ key, digest: sha256(text), text });
      if (part.ref !== undefined) this.rows.refs.push({ ref: refOf(part.ref), key });
    } else if (part.kind === 'root') this.rows.refs.push({ ref: refOf(part.ref), key: projectRef(projectId) });
    else if (part.kind === 'property') this.rows.properties.push(part.property);
    else {
      const ref = refOf(part.ref);
      for (const target of part.dependsOn) this.rows.links.push({ ref, target: refOf(target) });
      this.count += part.dependsOn.length;
    }
  }
}

const sum = (one: ListSize, other: ListSize): ListSize => ({
  components: one.components + other.components,
  links: one.links + other.links,
});

/**
 * Reads a source into the rows of an export, in batches; what is read again changes nothing. Returns what has been read of
 * the export then. Fails with `invalid` where that is too much.
 */
export function readSource({ work, reports, pipelines, readLockFile }: ReadingEdges) {
  async function* partsOf(
    { kind, projectId, path, blob }: ExportSource,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<BomPart> {
    if (kind === 'report') {
      yield* reports.read(blob, signal);
      return;
    }
    let text: string;
    try {
      text = await pipelines.readLockFile(projectId, blob, requestId);
    } catch (error) {
      // The file is larger than may be read, or went from the repository after the export had been planned.
      if (!isAppError(error, 'too_large', 'not_found')) throw error;
      yield unreadable(path);
      return;
    }
    yield* readLockFile(path, text, signal);
  }

  return async (
    { export: { id } }: ExportLease,
    source: ExportSource,
    { requestId, before, keepLease, signal }: SourceReading,
  ): Promise<ListSize> => {
    const gathered = new Gathered();
    let said: ListSize = { components: 0, links: 0 };
    const write = async () => {
      const rows = gathered.take();
      said = sum(said, { components: rows.components.length, links: rows.links.length });
      requireBounds(sum(before, said));
      await work.addRows(id, source.position, rows);
      await keepLease();
    };
    for await (const part of partsOf(source, requestId, signal)) {
      gathered.add(part, source.projectId);
      if (gathered.isFull) await write();
    }
    await write();
    let after = await work.resolveLinks(id, source.position, undefined);
    while (after !== undefined) {
      await keepLease();
      after = await work.resolveLinks(id, source.position, after);
    }
    await work.finishSource(id, source.position, said);
    return sum(before, said);
  };
}
