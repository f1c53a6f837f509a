import { encryptionVariables, reportRotation } from '@switchyard/secrets';
import { command } from '@switchyard/service';
import { variables } from './edges';
import { keptAnswers } from './idempotency';
import { integrationSecrets } from './integrations';
import { ringOf } from './secret-keys';
import { variableSecrets } from './variables';
import { webhookSecrets } from './webhooks';

/** Encrypts all stored secrets with the current key. */
export const rotateSecrets = command({
  variables: {
    ...encryptionVariables,
    SWITCHYARD_SECRET: variables.SWITCHYARD_SECRET,
    SWITCHYARD_SECRET_FILE: variables.SWITCHYARD_SECRET_FILE,
  },
  async run({ config, db, write }) {
    const ring = ringOf(config);
    let code = 0;
    for (const table of [variableSecrets(db), webhookSecrets(db), integrationSecrets(db), keptAnswers(db)]) {
      code = Math.max(code, await reportRotation(table, ring, write));
    }
    return code;
  },
});
