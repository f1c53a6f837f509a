/** A key as it is printed. */
export interface SshKeyRow {
  id: number;
  kind: 'user' | 'deploy';
  user_id: number | null;
  creator_id: number | null;
  title: string;
  key: string;
  fingerprint_md5: string;
  fingerprint_sha256: string;
  usage_type: string;
  public: boolean;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
  /** Name of the user whose key it is; null for a deploy key. */
  user_name: string | null;
}

/** A deploy key in a project, or of the instance. */
export interface DeployKeyRow extends SshKeyRow {
  /** Whether it may push to the project; null for a list of the instance. */
  can_push: boolean | null;
}

/** A project in which a deploy key is enabled. */
export interface DeployKeyProjectRow {
  id: number;
  deploy_key_id: number;
  project_id: number;
  can_push: boolean;
  created_at: Date;
  updated_at: Date;
}

/** A project in which a deploy key of the instance's list is enabled. */
export interface EnabledProjectRow {
  deploy_key_id: number;
  can_push: boolean;
  id: number;
  description: string | null;
  name: string;
  name_with_namespace: string;
  path: string;
  path_with_namespace: string;
  created_at: Date;
}

/** A deploy key of the instance with the projects that have enabled it. */
export interface SharedDeployKey {
  readonly key: DeployKeyRow;
  readonly projects: readonly EnabledProjectRow[];
}
