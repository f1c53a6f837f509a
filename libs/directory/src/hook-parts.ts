import type { LabelRow } from './labels';
import { fullPath, type ProjectRow, projectUrl } from './projects';
import { avatarUrl, type UserRow } from './users';

/** What stands where a user shows no address (G-6-4). */
const redacted = '[REDACTED]';

/** Levels of visibility as hook bodies number them (G-6-4). */
const visibilityLevels: Readonly<Record<string, number>> = { private: 0, internal: 10, public: 20 };

/** Number of a visibility in hook bodies: 0 for private, 10 for internal, 20 for public. */
export const visibilityLevel = (visibility: string): number => visibilityLevels[visibility] ?? 0;

/** A user as hook bodies name them (G-6-4): the address is there only where the user publishes one. */
export const hookUser = (user: UserRow, externalUrl: string) => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: avatarUrl(user.avatar_url, externalUrl),
  email: user.public_email || redacted,
});

/** What `hookProject` reads of a project. */
export type HookProjectRow = Pick<
  ProjectRow,
  'id' | 'name' | 'path' | 'namespace_full_path' | 'namespace_full_name' | 'visibility'
> & {
  avatar_url: string | null;
  default_branch: string | null;
  /** Known to groups-admin alone, which adds it to the bodies of others. */
  description?: string | null;
};

/** Address of a repository for ssh. */
export const sshUrl = (externalUrl: string, path: string): string => `git@${new URL(externalUrl).hostname}:${path}.git`;

/** A project as hook bodies name it (G-6-4). */
export function hookProject(project: HookProjectRow, externalUrl: string) {
  const webUrl = projectUrl(project, externalUrl);
  const path = fullPath(project);
  const ssh = sshUrl(externalUrl, path);
  return {
    id: project.id,
    name: project.name,
    description: project.description ?? null,
    web_url: webUrl,
    avatar_url: avatarUrl(project.avatar_url, externalUrl),
    git_ssh_url: ssh,
    git_http_url: `${webUrl}.git`,
    namespace: project.namespace_full_name.split(' / ').at(-1) ?? '',
    visibility_level: visibilityLevel(project.visibility),
    path_with_namespace: path,
    default_branch: project.default_branch,
    ci_config_path: null,
    homepage: webUrl,
    url: ssh,
    ssh_url: ssh,
    http_url: `${webUrl}.git`,
  };
}

/** The part `repository` of hook bodies, a project in short (G-6-4). */
export function hookRepository(project: HookProjectRow, externalUrl: string) {
  return {
    name: project.name,
    url: sshUrl(externalUrl, fullPath(project)),
    description: project.description ?? null,
    homepage: projectUrl(project, externalUrl),
  };
}

/** A group as hook bodies name it (G-6-4). */
export const hookGroup = (group: {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
}) => ({ group_id: group.id, group_name: group.name, group_path: group.path, full_path: group.full_path });

/** A label as hook bodies name it (G-6-4). */
export const hookLabel = (label: LabelRow) => ({
  id: label.id,
  title: label.title,
  color: label.color,
  project_id: label.project_id,
  template: false,
  description: label.description,
  type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
  group_id: label.namespace_id,
});
