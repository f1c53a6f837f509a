import { VariableServiceService } from '@switchyard/protos/groups_admin/v1/variable';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  nothing,
  page,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { parentOf } from '../../parents';
import { given } from '../../wire';
import type { ManageVariables } from '../application/manage-variables';
import type { VariableParent, VariableType } from '../domain/variable-row';
import { presentInstanceVariable, presentVariable } from '../presenters/variable.presenter';

/** The parent that a request names; none of the two: the instance. */
const placeOf = (wire: { groupId: number; projectId: number } | undefined): VariableParent =>
  wire?.groupId === 0 && wire.projectId === 0 ? { kind: 'instance', id: 0 } : parentOf(wire);

const presenterOf = ({ kind }: VariableParent) => (kind === 'instance' ? presentInstanceVariable : presentVariable);

const isFree = ({ access }: CallContext): boolean => access?.tier === 'free';

/** VariableService. */
export const variableHandler = (variables: ManageVariables): ServiceImplementation =>
  implement(
    VariableServiceService,
    {
      listVariables: async (request) => {
        const parent = placeOf(request.parent);
        const asked = fixedOrder(request.page, 'id', 'asc');
        const { rows, page: info } = await variables.list(parent, asked);
        return page(rows.map(presenterOf(parent)), { ...info, keyset: asked.mode === 'keyset' });
      },

      getVariable: async ({ parent: wire, key, environmentScope }) => {
        const parent = placeOf(wire);
        return entity(presenterOf(parent)(await variables.get(parent, { key, environmentScope })));
      },

      createVariable: async (request, context) => {
        const parent = placeOf(request.parent);
        const content = {
          key: request.key,
          value: request.value,
          variableType: request.variableType as VariableType,
          protected: request.isProtected,
          masked: request.masked,
          maskedAndHidden: request.maskedAndHidden,
          raw: request.raw,
          environmentScope: given(request.environmentScope),
          description: request.description,
        };
        return entity(presenterOf(parent)(await variables.create(parent, content, isFree(context))), 201);
      },

      updateVariable: async (request, context) => {
        const parent = placeOf(request.parent);
        const change = {
          value: request.value,
          variableType: request.variableType as VariableType | undefined,
          protected: request.isProtected,
          masked: request.masked,
          maskedAndHidden: request.maskedAndHidden,
          raw: request.raw,
          environmentScope: request.environmentScope,
          description: request.removeDescription ? null : request.description,
        };
        const key = { key: request.key, environmentScope: request.ofScope };
        return entity(presenterOf(parent)(await variables.update(parent, key, change, isFree(context))));
      },

      deleteVariable: async ({ parent, key, environmentScope, ifUnmodifiedSince }) => {
        await variables.remove(placeOf(parent), { key, environmentScope }, ifUnmodifiedSince);
        return nothing(204);
      },

      resolveVariables: async ({ projectId, protectedRef, environment, withHidden }) => {
        const resolved = await variables.resolve({
          projectId,
          protectedRef,
          environment: given(environment),
          withHidden,
        });
        return {
          variables: resolved.map(({ protected: isProtected, ...variable }) => ({ ...variable, isProtected })),
        };
      },
    },
    { resolveVariables: { callers: ['merge-requests'] } },
  );
