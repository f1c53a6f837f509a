import { parseEnvironment, z } from '@switchyard/config';

const limit = z
  .string()
  .regex(/^\d+\/\d+$/, 'must be <requests>/<seconds>')
  .transform((written) => {
    const [requests, seconds] = written.split('/').map(Number) as [number, number];
    return { requests, seconds };
  })
  .optional();

/** The gateway's environment; see docs/operations.md. */
export const readConfig = () =>
  parseEnvironment({
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    SWITCHYARD_EXTERNAL_URL: z.url().optional(),
    SWITCHYARD_TIER: z.enum(['free', 'premium', 'ultimate']).default('ultimate'),
    GROUPS_ADMIN_ADDRESS: z.string(),
    MERGE_REQUESTS_ADDRESS: z.string(),
    COLLABORATION_ADDRESS: z.string(),
    MERGE_REQUESTS_HTTP_URL: z.string(),
    SWITCHYARD_IDENTITY_KEY_FILE: z.string(),
    /** Request throttle of signed-in callers, `<requests>/<seconds>`; off when unset (G-7-8). */
    SWITCHYARD_THROTTLE_AUTHENTICATED: limit,
    /** Request throttle of anonymous callers, per address. */
    SWITCHYARD_THROTTLE_UNAUTHENTICATED: limit,
    /** Factor on every application limit; 0 turns them off. */
    SWITCHYARD_APPLICATION_LIMITS: z.coerce.number().min(0).max(1_000).default(1),
    /** Adds `X-Switchyard-Cost` to replies. */
    SWITCHYARD_SHOW_COST: z.stringbool().default(false),
  });

export type Config = ReturnType<typeof readConfig>;
