/** A receipt of an archive, by the names of its columns. */
export interface ImportedReceipt {
  readonly merge_request_iid: number;
  readonly target_branch: string;
  readonly method: string;
  readonly squash: boolean;
  readonly head_sha: string;
  readonly base_sha: string;
  readonly tested_sha: string | null;
  readonly tested_tree: string | null;
  readonly pipeline_status: string | null;
  readonly statuses: readonly object[];
  readonly required_statuses: readonly string[];
  readonly landed_sha: string;
  readonly landed_tree: string;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly added_by_id: number;
  readonly boarded_at: Date;
  readonly built_at: Date | null;
  readonly tested_at: Date | null;
  readonly landed_at: Date;
  readonly batch_iids: readonly number[];
  readonly reruns: number;
}
