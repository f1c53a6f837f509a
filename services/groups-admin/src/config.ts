import { parseEnvironment, serviceVariables, z } from '@switchyard/config';

/** The environment of groups-admin; see docs/operations.md. */
export const readConfig = () =>
  parseEnvironment({
    ...serviceVariables,
    /** Key material; the key of token digests is derived from it (D3). */
    SWITCHYARD_SECRET: z.string().min(32, 'must have at least 32 characters'),
    /** Token of the administrator `root` (D2). */
    SWITCHYARD_ROOT_TOKEN: z.string().min(20, 'must have at least 20 characters').optional(),
    /** Longest lifetime of a personal access token, days (G-5-9). */
    SWITCHYARD_TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(1).max(400).default(365),
    /** Days between the deletion of a group or project, which hides it at once, and its purge. */
    SWITCHYARD_DELETION_DELAY_DAYS: z.coerce.number().int().min(0).max(90).default(0),
  });

export type Config = ReturnType<typeof readConfig>;
