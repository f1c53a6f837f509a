import type { Viewer } from '@switchyard/directory';
import type { InviteFor, PushedBranch } from '../../repositories';

/** Branches of one push that links are printed for. */
const invitedBranches = 5;

/** What pushed branches mean for merge requests; see storage/merge-request-links.store.ts. */
export interface MergeRequestLinks {
  /**
   * Whether merge requests can be made in a project, and those of some of its branches that the viewer reads, one for
   * each: that are open, or else have merged the very commit of the branch.
   */
  ofBranches(
    projectId: number,
    branches: readonly PushedBranch[],
    viewer: Viewer,
  ): Promise<{ enabled: boolean; shown: { branch: string; fullPath: string; iid: number }[] }>;
}

/**
 * Returns after a push, as lines for the client's screen, where a merge request can be made for each of its branches, or
 * which one shows it already: what the push itself had opened may be merged by now. The default branch gets none, nor does a project without merge requests.
 */
export const inviteMergeRequests =
  ({ links, externalUrl }: { readonly links: MergeRequestLinks; readonly externalUrl: string }): InviteFor =>
  async ({ project, defaultBranch }, branches, viewer) => {
    const wanted = branches.filter(({ name }) => name !== defaultBranch).slice(0, invitedBranches);
    if (wanted.length === 0) return [];
    const { enabled, shown } = await links.ofBranches(project.id, wanted, viewer);
    const byBranch = new Map(shown.map((one) => [one.branch, one]));
    const lines = wanted.flatMap(({ name: branch }) => {
      const existing = byBranch.get(branch);
      if (existing !== undefined) {
        const url = `${externalUrl}/${existing.fullPath}/-/merge_requests/${existing.iid}`;
        return ['', `View merge request for ${branch}:`, `  ${url}`];
      }
      if (!enabled) return [];
      const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
      return [
        '',
        `To create a merge request for ${branch}, visit:`,
        `  ${externalUrl}/${project.fullPath}/-/merge_requests/new?${query}`,
      ];
    });
    return lines.length === 0 ? [] : [...lines, ''];
  };
