import { isShortRefName } from '@switchyard/texts';
import type { ForgeRepository } from '../../forges';

/** Characters of the description of a project. Forges have longer ones. */
const maxDescription = 2_000;

/** What a repository gives the project that is made for it: of a description its beginning, and no branch that none here can be. */
export function newProjectOf(repository: Pick<ForgeRepository, 'description' | 'defaultBranch'>) {
  const characters = [...repository.description];
  return {
    description:
      characters.length <= maxDescription
        ? repository.description
        : `${characters.slice(0, maxDescription - 1).join('')}…`,
    defaultBranch: isShortRefName(repository.defaultBranch) ? repository.defaultBranch : '',
  };
}
