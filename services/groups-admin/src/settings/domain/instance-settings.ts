import { branchNameProblems, domainOf, isDomainName, note, type Problems, refuse, type Visibility } from '../../rules';

/** A request throttle of the gateway; what was never set is absent. */
export interface Throttle {
  enabled?: boolean;
  requests_per_period?: number;
  period_in_seconds?: number;
}

/** Settings of the instance under their public names. */
export interface InstanceSettings {
  /** Name of the default branch of new projects. */
  default_branch_name: string;
  default_project_visibility: Visibility;
  default_group_visibility: Visibility;
  /** Projects that a new user may have. */
  default_projects_limit: number;
  /** Whether new users may create top-level groups. */
  can_create_group: boolean;
  /** Whether new users are external. */
  user_default_external: boolean;
  /** Days between the deletion of a group or project and its purge. */
  deletion_adjourned_period: number;
  /** Longest lifetime of access tokens, days (G-5-9). */
  max_personal_access_token_lifetime: number;
  /** Shortest password that a user may get, characters. */
  minimum_password_length: number;
  /** G-13-12. */
  allow_top_level_group_owners_to_create_service_accounts: boolean;
  /** Domains that e-mails which users get must have; empty for all. */
  domain_allowlist: readonly string[];
  domain_denylist: readonly string[];
  domain_denylist_enabled: boolean;
}

/** Limits that gateways keep; what was never set is absent. */
export interface GatewayLimits {
  authenticated_api?: Throttle;
  unauthenticated_api?: Throttle;
  /** Requests in the period of each application limit, by the name of its setting. */
  application?: Readonly<Record<string, number>>;
}

/** Limits that gateways keep, each with its value. */
export interface CompleteLimits {
  readonly authenticated_api: Required<Throttle>;
  readonly unauthenticated_api: Required<Throttle>;
  readonly application: Readonly<Record<string, number>>;
}

/** What was set; everything else has its default. */
export type StoredSettings = Partial<InstanceSettings> & { limits?: GatewayLimits };

/** Defaults of what no variable of the environment gives. */
export const settingDefaults = {
  default_branch_name: 'main',
  default_project_visibility: 'private',
  default_group_visibility: 'private',
  default_projects_limit: 100_000,
  can_create_group: true,
  user_default_external: false,
  minimum_password_length: 8,
  allow_top_level_group_owners_to_create_service_accounts: true,
  domain_allowlist: [],
  domain_denylist: [],
  domain_denylist_enabled: false,
} as const satisfies Partial<InstanceSettings>;

/** Most domains of a list. */
const maxDomains = 1_000;

/** Whether a text is a domain name, or means all domains below one. */
const isPattern = (text: string): boolean => isDomainName(text.replace(/^\*\./, ''));

function domainProblems(domains: readonly string[] = []): string[] {
  if (domains.length > maxDomains) return [`has too many domains (maximum is ${maxDomains})`];
  const bad = domains.find((domain) => !isPattern(domain));
  return bad === undefined ? [] : ['is invalid'];
}

/** @throws AppError invalid with all problems */
export function requireSettings(change: StoredSettings): void {
  const problems: Problems = {};
  const { default_branch_name: branch } = change;
  note(problems, 'default_branch_name', branch === '' ? ["can't be blank"] : branchNameProblems(branch));
  note(problems, 'domain_allowlist', domainProblems(change.domain_allowlist));
  note(problems, 'domain_denylist', domainProblems(change.domain_denylist));
  refuse(problems);
}

/** The settings after a change; limits change one by one. */
export const withChange = (settings: StoredSettings, change: StoredSettings): StoredSettings => ({
  ...settings,
  ...change,
  limits: withLimits(settings.limits, change.limits),
});

/** Limits, with those of `over` over them. */
export function withLimits(limits: CompleteLimits, over: GatewayLimits | undefined): CompleteLimits;
export function withLimits(limits: GatewayLimits | undefined, over: GatewayLimits | undefined): GatewayLimits;
export function withLimits(limits: GatewayLimits = {}, over: GatewayLimits = {}): GatewayLimits {
  return {
    authenticated_api: { ...limits.authenticated_api, ...over.authenticated_api },
    unauthenticated_api: { ...limits.unauthenticated_api, ...over.unauthenticated_api },
    application: { ...limits.application, ...over.application },
  };
}

const covers = (pattern: string, domain: string): boolean =>
  pattern.startsWith('*.') ? domain.endsWith(pattern.slice(1)) : domain === pattern;

/** Domains that e-mails may have. */
export type EmailDomains = Pick<InstanceSettings, 'domain_allowlist' | 'domain_denylist' | 'domain_denylist_enabled'>;

/** Why no user may take this e-mail; empty when one may. */
export function emailRefusals(email: string, settings: EmailDomains): string[] {
  const domain = domainOf(email);
  const isIn = (domains: readonly string[]): boolean =>
    domains.some((pattern) => covers(pattern.toLowerCase(), domain));
  if (settings.domain_denylist_enabled && isIn(settings.domain_denylist))
    return ['is not from an allowed domain. Check with your administrator.'];
  if (settings.domain_allowlist.length > 0 && !isIn(settings.domain_allowlist))
    return ['is not allowed. Check with your administrator.'];
  return [];
}
