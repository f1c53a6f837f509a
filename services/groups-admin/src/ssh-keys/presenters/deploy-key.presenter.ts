import type { DeployKeyRow, EnabledProjectRow, SharedDeployKey } from '../domain/ssh-key-row';

const presentKey = (key: DeployKeyRow) => ({
  id: key.id,
  title: key.title,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  key: key.key,
  fingerprint: key.fingerprint_md5,
  fingerprint_sha256: `SHA256:${key.fingerprint_sha256}`,
  usage_type: key.usage_type,
});

/** A deploy key of a project (G-4.10-3). */
export const presentDeployKey = (key: DeployKeyRow) => ({ ...presentKey(key), can_push: key.can_push ?? false });

const presentProject = ({ deploy_key_id: _, can_push: __, ...project }: EnabledProjectRow) => project;

/** A deploy key of the instance with the projects that have enabled it. */
export const presentSharedDeployKey = ({ key, projects }: SharedDeployKey) => ({
  ...presentKey(key),
  projects_with_write_access: projects.filter((project) => project.can_push).map(presentProject),
  projects_with_readonly_access: projects.filter((project) => !project.can_push).map(presentProject),
});
