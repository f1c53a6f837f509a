import { isShortRefName, shortened } from '@switchyard/texts';
import type { ForgeRepository } from '../../forges';

/** Characters of the description of a project. Forges have longer ones. */
const maxDescription = 2_000;

/** What a repository gives the project that is made for it: of a description its beginning, and no branch that none here can be. */
export const newProjectOf = ({
  description,
  defaultBranch,
}: Pick<ForgeRepository, 'description' | 'defaultBranch'>) => ({
  description: shortened(description, maxDescription),
  defaultBranch: isShortRefName(defaultBranch) ? defaultBranch : '',
});
