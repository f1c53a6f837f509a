import { createHash } from 'node:crypto';
import { AppError } from '@switchyard/errors';
import type { Component } from '../../boms';
import type { Reports } from '../../reports';
import {
  type ExportSource,
  maxProjects,
  type PipelineCommit,
  projectRef,
  requireBounds,
  subjectRef,
} from '../domain/dependency-list-export';
import type { ExportLease, SourceRows } from '../domain/export-work';
import type { ExportWork, PipelineSources } from './exports.ports';

/** Projects that are looked at together. */
const batch = 100;

/** Bytes of the largest lock file that is read; a larger one is named alone. */
const readBytes = 8 << 20;

/** What planning works with. */
export interface PlanningEdges {
  readonly work: Pick<ExportWork, 'projectsBelow' | 'plan' | 'extend'>;
  readonly reports: Pick<Reports, 'ofPipelines'>;
  readonly pipelines: PipelineSources;
}

type Planned = PipelineCommit & { readonly fullPath: string };

const projectComponent = ({ fullPath, sha }: Planned): Component => ({
  type: 'application',
  name: fullPath,
  version: sha,
  hashes: [],
  licenses: [],
  properties: [],
});

/** Projects of a group as components of its list. */
function projectRows(planned: readonly Planned[]): SourceRows {
  const components = planned.map((one) => {
    const text = JSON.stringify(projectComponent(one));
    return { key: projectRef(one.projectId), digest: createHash('sha256').update(text).digest(), text };
  });
  return { components, refs: [], links: [], properties: [] };
}

/** Finds what an export is made of, and fixes it (G-4.14-6): the reports of its pipelines, else lock files. */
export function planExport({ work, reports, pipelines }: PlanningEdges) {
  async function ofGroup(one: ExportLease, requestId: string): Promise<Planned[]> {
    const { targetId, authorId } = one.export;
    const planned: Planned[] = [];
    let [seen, last] = [0, 0];
    for (;;) {
      const projects = await work.projectsBelow(targetId, authorId, last, batch);
      const paths = new Map(projects.map(({ id, fullPath }) => [id, fullPath]));
      const latest = projects.length === 0 ? [] : await pipelines.latest([...paths.keys()], requestId);
      for (const pipeline of latest) planned.push({ ...pipeline, fullPath: paths.get(pipeline.projectId) ?? '' });
      seen += projects.length;
      if (seen > maxProjects) throw new AppError('invalid', `the group has more than ${maxProjects} projects`);
      last = projects.at(-1)?.id ?? 0;
      if (projects.length < batch) return planned.sort((a, b) => a.projectId - b.projectId);
      await work.extend(one);
    }
  }

  async function sourcesOf(one: ExportLease, planned: readonly Planned[], requestId: string): Promise<ExportSource[]> {
    const sources: Omit<ExportSource, 'position'>[] = [];
    let [bytes, components] = [0, 0];
    const add = (source: Omit<ExportSource, 'position'>, size: number, named = 0): void => {
      sources.push(source);
      bytes += size;
      components += named;
      requireBounds({ sources: sources.length, bytes, components });
    };
    for (let at = 0; at < planned.length; at += batch) {
      const some = planned.slice(at, at + batch);
      const found = await reports.ofPipelines(some.map(({ pipelineId }) => pipelineId));
      const reported = new Set(found.map(({ pipelineId }) => pipelineId));
      for (const { projectId, pipelineId, jobId, fileName, blob, sha256, textSize, components: named } of found) {
        const path = `${jobId}/${fileName}`;
        add({ kind: 'report', projectId, pipelineId, path, blob, digest: sha256 }, textSize, named);
      }
      for (const { projectId, pipelineId, sha } of some) {
        if (reported.has(pipelineId)) continue;
        for (const { path, blob, size } of await pipelines.lockFiles(projectId, sha, requestId))
          add({ kind: 'lock_file', projectId, pipelineId, path, blob, digest: blob }, size > readBytes ? 0 : size);
        await work.extend(one);
      }
    }
    return sources.map((source, position) => ({ position, ...source }));
  }

  return async (one: ExportLease, requestId: string): Promise<void> => {
    const { kind, targetId, pipeline, fullPath } = one.export;
    const isGroup = kind === 'group';
    const planned = isGroup
      ? await ofGroup(one, requestId)
      : pipeline === undefined
        ? []
        : [{ ...pipeline, projectId: targetId, fullPath }];
    const sources = await sourcesOf(one, planned, requestId);
    const edges = isGroup
      ? planned.map(({ projectId }): [string, string] => [subjectRef(one.export), projectRef(projectId)])
      : [];
    await work.plan(one, sources, projectRows(isGroup ? planned : []), edges);
  };
}
