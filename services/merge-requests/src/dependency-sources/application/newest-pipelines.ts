import { branchNameOf, branchRef, type RefName, readRefs, tagNameOf, tagRef } from '../../git';
import type { OpenProjectRepository } from '../../repositories';
import type { PipelineRef } from '../domain/pipeline-commit';
import type { PipelineCommits } from './pipeline-commits';

/** The whole ref; undefined for what names neither a branch nor a tag. */
function refOf({ ref, tag }: PipelineRef): RefName | undefined {
  if (tag) {
    const name = tagNameOf(ref);
    return name && tagRef(name);
  }
  const name = branchNameOf(ref);
  return name && branchRef(name);
}

/** Finds which of some pipelines of a project are the newest of a branch or tag that is there. Fails with `not_found`. */
export const newestPipelines =
  (pipelines: Pick<PipelineCommits, 'newestOfRefs'>, open: OpenProjectRepository) =>
  async (projectId: number, pipelineIds: readonly number[]): Promise<number[]> => {
    const { repo } = await open(projectId);
    const newest = (await pipelines.newestOfRefs(projectId, pipelineIds)).flatMap((one) => {
      const ref = refOf(one);
      return ref === undefined ? [] : [{ ...one, ref }];
    });
    const refs = await readRefs(
      repo,
      newest.map(({ ref }) => ref),
    );
    return newest.filter(({ ref }) => refs.has(ref)).map(({ pipelineId }) => pipelineId);
  };

/** What `newestPipelines` gives. */
export type NewestPipelines = ReturnType<typeof newestPipelines>;
