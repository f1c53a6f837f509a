import { PackageProtectionServiceService } from '@switchyard/protos/packages/v1/package_protection';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { ProtectionRules } from '../application/manage-protection-rules';
import type { RequiredRole } from '../domain/protection-rule';
import { presentProtectionRule } from '../presenters/protection-rule.presenter';

const toRole = (role: string): RequiredRole | undefined => (role === '' ? undefined : (role as RequiredRole));

/** Serves `PackageProtectionService`; the gateway has resolved the project that requests name. */
export const protectionRuleHandler = (rules: ProtectionRules): ServiceImplementation =>
  implement(PackageProtectionServiceService, {
    async listPackageProtectionRules(request) {
      const found = await rules.list(request.projectId, fixedOrder(request.page, 'id', 'asc'));
      return page(found.rows.map(presentProtectionRule), {
        ...found.page,
        keyset: request.page?.keyset ?? false,
      });
    },

    async createPackageProtectionRule(request) {
      const made = await rules.create(request.projectId, {
        namePattern: request.packageNamePattern,
        format: request.packageType,
        push: toRole(request.pushRole),
        delete: toRole(request.deleteRole),
      });
      return entity(presentProtectionRule(made), 201);
    },

    async updatePackageProtectionRule({ projectId, ruleId, ...given }) {
      const changed = await rules.update(projectId, ruleId, {
        ...(given.packageNamePattern === undefined ? {} : { namePattern: given.packageNamePattern }),
        ...(given.packageType === undefined ? {} : { format: given.packageType }),
        ...(given.pushRole === undefined ? {} : { push: toRole(given.pushRole) }),
        ...(given.deleteRole === undefined ? {} : { delete: toRole(given.deleteRole) }),
      });
      return entity(presentProtectionRule(changed));
    },

    async deletePackageProtectionRule({ projectId, ruleId, ifUnmodifiedSince }) {
      await rules.remove(projectId, ruleId, ifUnmodifiedSince);
      return nothing();
    },
  });
