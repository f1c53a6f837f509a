import { isAppError } from '@switchyard/errors';
import { type RefName, type Repository, readTree, type Sha } from '../../git';
import { readmeOf } from '../domain/readme';

/** Commits counted for one push at the most; a larger one is shown with this number. */
export const countedCommits = 10_001;

/** The README at the root of a branch or commit; undefined when there is none, or the branch was deleted. */
export async function findReadme(repo: Repository, at: Sha | RefName): Promise<string | undefined> {
  const { entries } = await readTree(repo, at).catch((error) => {
    if (!isAppError(error, 'not_found')) throw error;
    return { entries: [] };
  });
  return readmeOf(entries.flatMap(({ name, type }) => (type === 'blob' ? name : [])));
}
