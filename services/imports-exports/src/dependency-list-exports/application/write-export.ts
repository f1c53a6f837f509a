import { createHash, randomUUID } from 'node:crypto';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type Bom, type Component, mergeComponents, writeCycloneDx, writeSpdx } from '../../boms';
import {
  type DependencyListExport,
  type ExportFile,
  identityOf,
  subjectRef,
  uuidOf,
} from '../domain/dependency-list-export';
import type { ExportLease } from '../domain/export-work';
import type { ExportWork } from './exports.ports';
import type { FileSigner } from './sign';

faultPoints.push('dependency_export.blob_expected', 'dependency_export.written', 'dependency_export.signed');

/** Rows of one statement. */
const page = 1_000;

/** Variants of one component that are joined, and their characters; further ones, in the order of their digests, are left out, save one of each scope. */
const maxVariants = 100;
const maxCharacters = 8_000_000;

/** Targets of one component in the file. */
const maxTargets = 20_000;

/** Characters that are gathered before they are written. */
const chunkLength = 1 << 16;

/** What writing works with. */
export interface WritingEdges {
  readonly work: Pick<ExportWork, 'components' | 'edges' | 'properties' | 'sources'>;
  readonly blobs: BlobStore;
  readonly remains: Pick<BlobRemains, 'expect'>;
  readonly signer: FileSigner;
  readonly toolVersion: string;
  /** Mail address that the file names. */
  readonly email: string;
}

/** Writes the file of an export from its rows, page by page, and signs it. Memory does not depend on its size. */
export function writeExport({ work, blobs, remains, signer, toolVersion, email }: WritingEdges) {
  async function* components(exportId: number, keepLease: () => Promise<void>) {
    let after: readonly string[] | undefined;
    let key: string | undefined;
    let variants: Component[] = [];
    let characters = 0;
    for (;;) {
      const rows = await work.components(exportId, after, page);
      for (const row of rows) {
        if (row.key !== key && key !== undefined) yield { key, component: mergeComponents(variants) };
        if (row.key !== key) [variants, characters] = [[], 0];
        key = row.key;
        const isKept = variants.length < maxVariants && characters < maxCharacters;
        // What is needed when a project runs must not be called optional because it is named often.
        if (isKept || !variants.some(({ scope }) => scope === row.component.scope)) variants.push(row.component);
        characters += row.characters;
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      after = [last.key, last.digest];
      await keepLease();
    }
    if (key !== undefined) yield { key, component: mergeComponents(variants) };
  }

  async function* dependencies(exportId: number, keepLease: () => Promise<void>) {
    let after: readonly string[] | undefined;
    let key: string | undefined;
    let dependsOn: string[] = [];
    for (;;) {
      const rows = await work.edges(exportId, after, page);
      for (const row of rows) {
        if (row.key !== key && key !== undefined) yield { key, dependsOn };
        if (row.key !== key) dependsOn = [];
        key = row.key;
        if (dependsOn.length < maxTargets) dependsOn.push(row.target);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < page) break;
      after = [last.key, last.target];
      await keepLease();
    }
    if (key !== undefined) yield { key, dependsOn };
  }

  async function bomOf(one: DependencyListExport, keepLease: () => Promise<void>): Promise<Bom> {
    const sources = await work.sources(one.id, true);
    const identity = createHash('sha256').update(identityOf(one, sources)).digest('hex');
    return {
      head: {
        subject: { ref: subjectRef(one), name: one.fullPath, version: one.pipeline?.sha },
        id: uuidOf(identity),
        madeAt: one.pipeline?.createdAt ?? new Date(0),
        properties: await work.properties(one.id),
        toolVersion,
        email,
      },
      components: () => components(one.id, keepLease),
      dependencies: () => dependencies(one.id, keepLease),
    };
  }

  return async ({ export: one }: ExportLease, keepLease: () => Promise<void>): Promise<ExportFile> => {
    const bom = await bomOf(one, keepLease);
    const pieces = one.format === 'spdx' ? writeSpdx(bom) : writeCycloneDx(bom, one.specVersion);
    const blob = `exports/${randomUUID()}`;
    const digest = createHash('sha256');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      let text = '';
      for await (const piece of pieces) {
        text += piece;
        if (text.length < chunkLength) continue;
        const chunk = Buffer.from(text);
        text = '';
        digest.update(chunk);
        yield chunk;
      }
      const chunk = Buffer.from(text);
      digest.update(chunk);
      yield chunk;
    }
    await remains.expect(blob);
    faultPoint('dependency_export.blob_expected');
    const size = await blobs.write(blob, chunks()).catch((error) => {
      throw isAppError(error) ? error : unavailable(error);
    });
    faultPoint('dependency_export.written');
    const signature = await signer.sign(async () => {
      const found = await blobs.open(blob);
      if (found === undefined) throw unavailable('the blob of an export is gone');
      return found.content;
    });
    faultPoint('dependency_export.signed');
    return { blob, size, sha256: digest.digest('hex'), signature };
  };
}
