import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import { manageVariables } from './application/manage-variables';
import { variableStore } from './storage/variable.store';
import { variableHandler } from './transport/variable.handler';

/** CI variables of groups, projects and the instance. */
export const composeVariables = ({ config, db, observe }: Edges): Area => ({
  services: [variableHandler(observe('variables', manageVariables({ variables: variableStore(db, ringOf(config)) })))],
});
