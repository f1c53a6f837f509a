import { parseEnvironment, serviceVariables, z } from '@switchyard/config';

const variables = {
  ...serviceVariables,
  GROUPS_ADMIN_ADDRESS: z.string(),
  MERGE_REQUESTS_ADDRESS: z.string(),
};

/** Configuration of the process, parsed once from its environment. */
export const readConfig = (environment = process.env) => parseEnvironment(variables, environment);

export type Config = ReturnType<typeof readConfig>;
