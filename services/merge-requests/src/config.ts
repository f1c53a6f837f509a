import { parseEnvironment, serviceVariables, z } from '@switchyard/config';
import { recoverySeconds } from './domain/recovery';

const variables = {
  ...serviceVariables,
  GROUPS_ADMIN_ADDRESS: z.string(),
  COLLABORATION_ADDRESS: z.string(),
  SWITCHYARD_DATA: z.string().default('.switchyard'),
  SWITCHYARD_RECOVERY_SECONDS: z.coerce.number().min(0.5).max(60).default(recoverySeconds),
};

/** Configuration of the process, parsed once from its environment. */
export const readConfig = (environment = process.env) => parseEnvironment(variables, environment);

/** What `readConfig` gives. */
export type Config = ReturnType<typeof readConfig>;
