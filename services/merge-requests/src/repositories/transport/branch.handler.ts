import { BranchServiceService } from '@switchyard/protos/merge_requests/v1/branch';
import { entity, implement, nothing } from '@switchyard/rpc';
import type { Branch } from '../../git';
import type { BranchViews, ManageBranches } from '../application/manage-branches';
import { branchObject } from '../presenters/branch.presenter';
import { actorOf, addressOf } from './repository-context';
import { placeOf, tokenPage } from './window';

/** gRPC side of branches. */
export function branchHandler(branches: ManageBranches, externalUrl: string) {
  type Context = Parameters<typeof actorOf>[0];
  const render = (view: Omit<BranchViews<unknown>, 'found'>, context: Context) => {
    const branchContext = { ...view, access: actorOf(context).access };
    const address = addressOf(context, externalUrl);
    return (branch: Branch) => branchObject(branch, branchContext, address);
  };

  return implement(BranchServiceService, {
    listBranches: async ({ projectId, page, search, regex }, context) => {
      const order = page?.orderBy === 'updated' ? 'updated' : 'name';
      const view = await branches.list(projectId, {
        ...placeOf(page),
        sort: `${order}_${page?.descending ? 'desc' : 'asc'}`,
        search: search || undefined,
        regex: regex || undefined,
      });
      return tokenPage(view.found.items.map(render(view, context)), page, view.found);
    },
    getBranch: async ({ projectId, branch }, context) => {
      const view = await branches.get(projectId, branch);
      return entity(render(view, context)(view.found));
    },
    createBranch: async ({ projectId, branch, ref }, context) => {
      const view = await branches.create(projectId, actorOf(context), branch, ref);
      return entity(render(view, context)(view.found));
    },
    deleteBranch: async ({ projectId, branch }, context) => {
      await branches.remove(projectId, actorOf(context), branch);
      return nothing();
    },
    deleteMergedBranches: async ({ projectId }, context) => {
      await branches.removeMerged(projectId, actorOf(context));
      return entity({ message: '202 Accepted' });
    },
  });
}
