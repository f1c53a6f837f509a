import type { Access } from '@switchyard/protos/rpc/v1/identity';
import { levels } from '@switchyard/rights';

/**
 * What an operation asks of its caller: the least access level by the visibility of the project or group, and whether
 * it writes (an archived project refuses writes). A caller who may not see the target never gets here: that is a 404.
 * 0 means every caller who sees it; on `internal` that is every signed-in user.
 */
export interface Ability {
  readonly public: number;
  readonly internal: number;
  readonly private: number;
  readonly write?: boolean;
  /** The service refuses some of those below this level: a cached answer must not be what it judges by. */
  readonly decidedBelow?: number;
  /** Feature of the project it belongs to: closed to whom the feature is closed, whatever their level. */
  readonly feature?: 'repository' | 'mergeRequests' | 'issues' | 'monitor' | 'snippets' | 'packages';
  /**
   * Where the packages of a project are public, everybody has it, whether they see the project or not
   * (`Access.packagesPublic`, G-4.17-8). The token of a job reaches beyond its own project for it.
   */
  readonly readsPackages?: true;
}

const everywhere = (level: number): Ability => ({ public: level, internal: level, private: level });
const writing = (level: number): Ability => ({ ...everywhere(level), write: true });
const ofCode = (ability: Ability): Ability => ({ ...ability, feature: 'repository' });
const ofMergeRequests = (ability: Ability): Ability => ({ ...ability, feature: 'mergeRequests' });
const ofIssues = (ability: Ability): Ability => ({ ...ability, feature: 'issues' });
const ofMonitor = (ability: Ability): Ability => ({ ...ability, feature: 'monitor' });
const ofSnippets = (ability: Ability): Ability => ({ ...ability, feature: 'snippets' });
const ofPackages = (ability: Ability): Ability => ({ ...ability, feature: 'packages' });
const openOr = (level: number): Ability => ({ public: 0, internal: 0, private: level });

/** Abilities on projects. */
export const projectAbilities = {
  read_project: openOr(levels.guest),
  read_code: ofCode(openOr(levels.reporter)),
  read_merge_request: ofMergeRequests(openOr(levels.reporter)),
  read_internal_note: everywhere(levels.reporter),
  read_pipeline: ofCode(openOr(levels.reporter)),
  read_label: openOr(levels.guest),
  read_milestone: openOr(levels.guest),
  read_snippet: ofSnippets(openOr(levels.guest)),
  create_snippet: ofSnippets(writing(levels.reporter)),
  write_snippet: ofSnippets({ ...openOr(levels.guest), write: true }),
  read_member: openOr(levels.guest),
  read_protected_branch: ofCode(everywhere(levels.developer)),
  // Where merge requests are disabled their owner says so (422, G-4.2-4); `private` ones are open to its level.
  create_merge_request: ofCode(writing(levels.developer)),
  update_merge_request: ofMergeRequests({ ...openOr(levels.reporter), write: true }),
  approve_merge_request: ofMergeRequests(writing(levels.developer)),
  delete_merge_request: ofMergeRequests(writing(levels.owner)),
  read_merge_train: ofMergeRequests(everywhere(levels.developer)),
  update_merge_train: ofMergeRequests(writing(levels.developer)),
  admin_approval_rule: ofMergeRequests(writing(levels.maintainer)),
  admin_merge_train: ofMergeRequests(writing(levels.maintainer)),
  read_issue: ofIssues(openOr(levels.guest)),
  write_issue: ofIssues({ ...openOr(levels.guest), write: true }),
  push_code: ofCode(writing(levels.developer)),
  // A merge request from a fork may open its branch to those who may merge it and are no members: the service decides.
  commit_code: ofCode({ ...openOr(levels.reporter), write: true, decidedBelow: levels.developer }),
  // Over git alone, until there are routes for pages (ADR 82). A wiki does not close with the repository.
  download_wiki: openOr(levels.reporter),
  push_wiki: writing(levels.developer),
  comment_on_code: ofCode({ ...openOr(levels.reporter), write: true }),
  create_pipeline: ofCode(writing(levels.developer)),
  create_merge_request_pipeline: ofMergeRequests(writing(levels.developer)),
  delete_pipeline: ofCode(writing(levels.owner)),
  create_commit_status: ofCode(writing(levels.developer)),
  read_environment: ofCode(openOr(levels.reporter)),
  write_environment: ofCode(writing(levels.developer)),
  issue_job_token: ofCode(writing(levels.maintainer)),
  read_alerts: ofMonitor(everywhere(levels.developer)),
  update_alerts: ofMonitor(writing(levels.developer)),
  read_alert_configuration: ofMonitor(everywhere(levels.maintainer)),
  admin_alerts: ofMonitor(writing(levels.maintainer)),
  // G-4.17-8.
  read_package: { ...ofPackages(openOr(levels.reporter)), readsPackages: true },
  create_package: ofPackages(writing(levels.developer)),
  delete_package: ofPackages(writing(levels.maintainer)),
  admin_package: ofPackages(everywhere(levels.maintainer)),
  // ADR 79: what texts link to is read by all who see the project.
  write_upload: { ...openOr(levels.guest), write: true },
  admin_upload: everywhere(levels.maintainer),
  delete_upload: writing(levels.maintainer),
  // G-4.14-2.
  read_dependency: ofCode(everywhere(levels.developer)),
  admin_label: writing(levels.reporter),
  admin_milestone: writing(levels.reporter),
  admin_protected_branch: ofCode(writing(levels.maintainer)),
  admin_project_member: everywhere(levels.maintainer),
  admin_project: everywhere(levels.maintainer),
  admin_variable: writing(levels.maintainer),
  admin_hook: writing(levels.maintainer),
  admin_integration: writing(levels.maintainer),
  // G-4.19-2.
  admin_import: everywhere(levels.owner),
  // G-4.19-9: who may import may import again.
  refresh_import: writing(levels.maintainer),
  export_project: everywhere(levels.maintainer),
  change_visibility: everywhere(levels.owner),
  archive_project: everywhere(levels.owner),
  remove_project: everywhere(levels.owner),
  leave_project: openOr(levels.guest),
} as const satisfies Record<string, Ability>;

/** Abilities on groups. */
export const groupAbilities = {
  read_group: openOr(0),
  read_group_member: openOr(0),
  read_group_package: { ...openOr(0), readsPackages: true },
  read_group_dependency: everywhere(levels.developer),
  read_group_label: openOr(0),
  read_group_milestone: openOr(0),
  // G-4.18-1, G-4.18-3: confidential epics, and who of these deletes one, are decided by the service.
  read_epic: openOr(0),
  manage_epic: everywhere(levels.planner),
  leave_group: openOr(0),
  admin_group_label: everywhere(levels.reporter),
  admin_group_milestone: everywhere(levels.reporter),
  create_subgroup: everywhere(levels.maintainer),
  admin_group_integration: everywhere(levels.maintainer),
  admin_group_member: everywhere(levels.owner),
  admin_group: everywhere(levels.owner),
  remove_group: everywhere(levels.owner),
} as const satisfies Record<string, Ability>;

/** True when the ability belongs to a feature that is closed to the actor. */
export const isClosed = ({ feature }: Ability, access: Access): boolean =>
  feature !== undefined && access.closed?.[feature] === true;

/** True when the ability belongs to merge requests, and these are switched off for everybody. */
export const isSwitchedOff = ({ feature }: Ability, access: Access): boolean =>
  feature === 'mergeRequests' && access.closed?.mergeRequestsDisabled === true;

/** True when the service may refuse what the ability allows to a caller with this access. */
export const isDecidedByService = ({ decidedBelow }: Ability, access: Access | undefined): boolean =>
  decidedBelow !== undefined && access !== undefined && access.level < decidedBelow;

/** Least level at which the ability is had in a project or group. */
export const levelFor = (ability: Ability, { visibility, packagesPublic }: Access): number =>
  ability.readsPackages && packagesPublic ? 0 : ability[visibility as 'public' | 'internal' | 'private'];

/** True when an actor who sees the project has the ability. */
export const isAble = (ability: Ability, access: Access): boolean =>
  !isClosed(ability, access) && access.level >= levelFor(ability, access);

export type ProjectAbility = keyof typeof projectAbilities;
export type GroupAbility = keyof typeof groupAbilities;
