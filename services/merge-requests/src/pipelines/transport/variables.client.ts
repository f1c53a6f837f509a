import { VariableServiceService } from '@switchyard/protos/groups_admin/v1/variable';
import type { Peer } from '@switchyard/rpc';
import type { ResolveVariables } from '../application/pipeline.edges';
import type { CiVariable, PipelineVariableType } from '../domain/pipeline-variable';

/** Requests the variables of project, groups and instance from their owner. */
export function variablesOf(groupsAdmin: Peer): ResolveVariables {
  const client = groupsAdmin.client(VariableServiceService);
  return async ({ requestId, environment, ...query }) => {
    const reply = await client.resolveVariables(
      { ...query, environment: environment ?? '' },
      { requestId, idempotent: true },
    );
    return reply.variables.map(
      ({ variableType, isProtected, source, value, ...variable }): CiVariable => ({
        ...variable,
        value,
        type: variableType as PipelineVariableType,
        protected: isProtected,
        source: source as CiVariable['source'],
      }),
    );
  };
}
