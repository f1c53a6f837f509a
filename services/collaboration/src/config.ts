import { parseEnvironment, serviceVariables, z } from '@switchyard/config';

const variables = {
  ...serviceVariables,
  GROUPS_ADMIN_ADDRESS: z.string(),
  MERGE_REQUESTS_ADDRESS: z.string(),
  /** What becomes of a note that is nothing but an emoji (G-4.6-8, G-13-5). */
  SWITCHYARD_EMOJI_NOTES: z.enum(['reaction', 'note']).default('reaction'),
};

/** Configuration of the process, parsed once from its environment. */
export const readConfig = (environment = process.env) => parseEnvironment(variables, environment);

export type Config = ReturnType<typeof readConfig>;
