import { invalid, notAllowed } from '@switchyard/errors';
import type { Parent } from '../../parents';
import { domainOf } from '../../rules';

/** What decides whether a user may become a member of a group or project. */
export interface Admission {
  /** A group above a project, or the one it lies in, locks the members of its projects (`membership_lock`). */
  readonly membersLocked: boolean;
  /** Domains of `allowed_email_domains_list` of the top-level group; empty: all are allowed. */
  readonly emailDomains: readonly string[];
  /** The user's primary e-mail; undefined for a bot or service account, which has none of its own. */
  readonly email: { readonly address: string; readonly isConfirmed: boolean } | undefined;
}

function emailProblem({ emailDomains, email }: Admission): string | undefined {
  if (emailDomains.length === 0 || email === undefined) return undefined;
  if (!emailDomains.includes(domainOf(email.address))) {
    const kind = emailDomains.length === 1 ? 'domain of' : 'domains:';
    return `email does not match the allowed ${kind} ${emailDomains.join(', ')}`;
  }
  return email.isConfirmed ? undefined : 'email is not a verified email.';
}

/**
 * Refuses a new member whom the settings of the groups do not admit. The text has no address: it is shown to users who
 * may not read that of another one.
 * @throws AppError not_allowed in a locked project; invalid for an e-mail of another domain, or an unconfirmed one
 */
export function refuseAdmission(source: Parent, admission: Admission): void {
  if (source.kind === 'project' && admission.membersLocked) throw notAllowed();
  const problem = emailProblem(admission);
  if (problem !== undefined) throw invalid({ user: [problem] });
}
