import { z } from 'zod';

/**
 * Parses the environment of one process, once (D2).
 * @throws Error with one line that names every variable at fault
 */
export function parseEnvironment<T extends z.ZodRawShape>(
  shape: T,
  environment = process.env,
): z.infer<z.ZodObject<T>> {
  // An empty variable means the same as an absent one: compose files and charts set optional ones to ''.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as z.infer<z.ZodObject<T>>;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.');
    return `${name}: ${name in given ? message : 'is missing'}`;
  });
  throw new Error(problems.join('; '));
}

/** Variables that every domain service reads; see docs/operations.md. */
export const serviceVariables = {
  HOST: z.string().default('127.0.0.1'),
  GRPC_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address'),
  LOG_DATABASE_URL: z.string().optional(),
  KAFKA_BROKERS: z.string().optional(),
  SWITCHYARD_IDENTITY_KEY_FILE: z.string(),
  SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: z.string(),
  /** Address of the instance as clients see it, without a slash at its end. */
  SWITCHYARD_EXTERNAL_URL: z
    .string()
    .default('http://localhost:8080')
    .transform((url) => url.replace(/\/+$/, '')),
  SWITCHYARD_TIER: z.enum(['free', 'premium', 'ultimate']).default('ultimate'),
} as const;

export { z } from 'zod';
