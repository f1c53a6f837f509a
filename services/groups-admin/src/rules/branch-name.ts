// A branch name as git takes it, checked only so far that it can never be something else; the repository has the last
// word.
const refused = /^[-/.]|\.\.|[\0-\x20~^:?*[\\\x7f]|@\{|\/\/|\/\.|(\/|\.lock|\.)$/;

/** What is wrong with the name of a default branch. */
export const branchNameProblems = (name: string | undefined): string[] =>
  name !== undefined && (refused.test(name) || name.length > 255) ? ['is invalid'] : [];
