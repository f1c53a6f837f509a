import { isShortRefName } from '@switchyard/texts';

/** What is wrong with the name of a default branch. */
export const branchNameProblems = (name: string | undefined): string[] =>
  name === undefined || (name.length <= 255 && isShortRefName(name)) ? [] : ['is invalid'];
