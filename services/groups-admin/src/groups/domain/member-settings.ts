import { isDomainName, maxDomainLength, note, type Problems } from '../../rules';
import type { GroupSettingsChange } from './group-settings';

/** Domains of a list at the most: it is read for every new member. */
const maxDomains = 100;

/** The domains of a list as they are stored and compared: in lower case, each once. */
function domainsOf(list: string): string[] {
  const given = list.split(',').map((domain) => domain.replace(/^ +| +$/g, '').toLowerCase());
  return [...new Set(given.filter((domain) => domain !== ''))];
}

function listProblems(list: string | null | undefined, isTopLevel: boolean): string[] {
  if (list === undefined || list === null || list.trim() === '') return [];
  // Before the list is split: one of a megabyte is not worth it.
  if (list.length > maxDomains * (maxDomainLength + 2)) return [`is too long (maximum is ${maxDomains} domains)`];
  if (!isTopLevel) return ['only permitted for top-level groups'];
  const domains = domainsOf(list);
  if (domains.length > maxDomains) return [`is too long (maximum is ${maxDomains} domains)`];
  return domains.every(isDomainName) ? [] : ['The domain you entered is misformatted.'];
}

/**
 * What is wrong with the settings about members.
 * @param isTopLevel whether the group lies in no other one: the list of a top-level group holds for all below it
 */
export function memberSettingsProblems(settings: GroupSettingsChange, isTopLevel: boolean): Problems {
  const problems: Problems = {};
  note(problems, 'allowed_email_domains_list', listProblems(settings.allowed_email_domains_list, isTopLevel));
  return problems;
}

/**
 * Settings about members as they are stored: the domains in one form, and without those that the free tier does not
 * have, which are ignored as those of projects are (G-13-16).
 */
export function storedMemberSettings(settings: GroupSettingsChange, paid: boolean): GroupSettingsChange {
  const { membership_lock, allowed_email_domains_list, ...others } = settings;
  if (!paid) return others;
  return {
    ...others,
    ...(membership_lock === undefined ? {} : { membership_lock }),
    ...(allowed_email_domains_list === undefined
      ? {}
      : { allowed_email_domains_list: domainsOf(allowed_email_domains_list ?? '').join(',') || null }),
  };
}
