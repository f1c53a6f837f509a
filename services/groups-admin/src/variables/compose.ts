import { deriveKey, encryptionVariables, type Keyring, openKeyring, reportRotation } from '@switchyard/secrets';
import { type Area, command } from '@switchyard/service';
import { type Edges, variables } from '../edges';
import { manageVariables } from './application/manage-variables';
import { variableStore } from './storage/variable.store';
import { variableSecrets } from './storage/variable-secrets.store';
import { variableHandler } from './transport/variable.handler';

const label = 'switchyard secrets of groups-admin';

const ringOf = (config: Pick<Edges['config'], 'SWITCHYARD_SECRET' | 'SWITCHYARD_ENCRYPTION_SECRETS'>): Keyring =>
  openKeyring(config, label, deriveKey(config.SWITCHYARD_SECRET, label));

/** CI variables of groups, projects and the instance. */
export const composeVariables = ({ config, db, observe }: Edges): Area => ({
  services: [variableHandler(observe('variables', manageVariables({ variables: variableStore(db, ringOf(config)) })))],
});

/** Encrypts the values of all variables with the current key. */
export const rotateSecrets = command({
  variables: { ...encryptionVariables, SWITCHYARD_SECRET: variables.SWITCHYARD_SECRET },
  run: ({ config, db, write }) => reportRotation(variableSecrets(db), ringOf(config), write),
});
