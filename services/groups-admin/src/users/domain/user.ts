import { displayTextProblems, isEmailAddress } from '@switchyard/texts';
import { lengthProblems, note, type Problems, pathProblems } from '../../rules';
import { settingDefaults } from '../../settings';

/** States of users (G-2-1). */
export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'ldap_blocked' | 'blocked_pending_approval';

/** What happens to a user's state. */
export type StateChange = 'block' | 'unblock' | 'deactivate' | 'activate';

/** Fields of a user with rules of their own. */
export interface CheckedFields {
  email?: string;
  name?: string;
  username?: string;
  password?: string;
  publicEmail?: string;
  commitEmail?: string;
  projectsLimit?: number;
}

/** Longest password, characters. */
const maxPasswordLength = 128;

/** Longest text of the profile, characters. */
const maxTextLength = 255;

const emailProblems = (email: string): string[] => (isEmailAddress(email) ? [] : ['is invalid']);

/** Words with a meaning of their own where filters, commands and mentions take a username; in lower case. */
const reservedUsernames = new Set(['all', 'any', 'me', 'none']);

const usernameProblems = (username: string): string[] =>
  reservedUsernames.has(username.toLowerCase())
    ? [`${username} is a reserved name`]
    : pathProblems(username, { atTop: true });

/**
 * What is wrong with the fields of a user; empty when they are valid.
 * @param leastPassword shortest password, characters
 */
export function userProblems(
  fields: CheckedFields,
  leastPassword: number = settingDefaults.minimum_password_length,
): Problems {
  const problems: Problems = {};
  const { email, name, username, password, publicEmail, commitEmail, projectsLimit } = fields;
  if (email !== undefined) note(problems, 'email', email === '' ? ["can't be blank"] : emailProblems(email));
  if (name !== undefined) note(problems, 'name', displayTextProblems(name));
  if (username !== undefined) note(problems, 'username', usernameProblems(username));
  if (publicEmail) note(problems, 'public_email', emailProblems(publicEmail));
  if (commitEmail) note(problems, 'commit_email', emailProblems(commitEmail));
  if (projectsLimit !== undefined && projectsLimit < 0)
    note(problems, 'projects_limit', ['must be greater than or equal to 0']);
  if (password !== undefined) {
    if (password.length < leastPassword)
      note(problems, 'password', [`is too short (minimum is ${leastPassword} characters)`]);
    note(problems, 'password', lengthProblems(password, maxPasswordLength));
  }
  return problems;
}

/** What is wrong with the texts of a profile. */
export function profileProblems(texts: Readonly<Record<string, string | undefined>>): Problems {
  const problems: Problems = {};
  for (const [field, text] of Object.entries(texts)) note(problems, field, lengthProblems(text, maxTextLength));
  return problems;
}

/** Outcome of a change of state: the new state, that nothing changes, or why it is refused (403). */
export type StateOutcome = { state: UserState } | { unchanged: true } | { refused: string };

/** What a change does to a user in a state. */
export function changeState(change: StateChange, state: UserState, isSelf: boolean): StateOutcome {
  const blocked = state === 'blocked' || state === 'banned' || state === 'blocked_pending_approval';
  switch (change) {
    case 'block':
      if (state === 'ldap_blocked') return { refused: 'LDAP blocked users cannot be modified by the API' };
      if (isSelf) return { refused: 'The API initiating user cannot be blocked by the API' };
      return state === 'blocked' ? { unchanged: true } : { state: 'blocked' };
    case 'unblock':
      if (state === 'ldap_blocked') return { refused: 'LDAP blocked users cannot be unblocked by the API' };
      if (state === 'deactivated') return { refused: 'Deactivated users cannot be unblocked by the API' };
      return state === 'active' ? { unchanged: true } : { state: 'active' };
    case 'deactivate':
      if (blocked || state === 'ldap_blocked') return { refused: 'A blocked user cannot be deactivated by the API' };
      if (isSelf) return { refused: 'The API initiating user cannot be deactivated by the API' };
      return state === 'deactivated' ? { unchanged: true } : { state: 'deactivated' };
    case 'activate':
      if (blocked || state === 'ldap_blocked') return { refused: 'A blocked user must be unblocked to be activated' };
      return state === 'active' ? { unchanged: true } : { state: 'active' };
  }
}
