import { AppError, isAppError, unavailable } from '@switchyard/errors';

/** Codes of failures for a server that hangs: under what had been sent to it, and instead of sending. */
export const silenceCodes = { underWay: 'SERVER_SILENT', beforeSending: 'SERVER_STILL_SILENT' } as const;

const connectionCodes = new Set<string>([
  silenceCodes.underWay,
  silenceCodes.beforeSending,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '53300', // too many connections
  '57P01', // the server is shutting down
  '57P02', // a backend crashed
  '57P03', // the server is starting
  '25P03', // idle in transaction for too long: the server has closed the connection
]);

const retryableCodes = new Set(['40001', '40P01']);

const connectionTexts =
  /timeout expired|timeout exceeded when trying to connect|connection terminated|query read timeout|client has encountered a connection error|connection ended unexpectedly|cannot use a pool after calling end|can't reach database server|server has closed the connection/i;

interface Failure {
  code?: string;
  message?: string;
  constraint?: string;
  detail?: string;
  /** Function of the server that raised it; unlike the message it knows no languages. */
  routine?: string;
  cause?: unknown;
  errors?: unknown[];
  meta?: { driverAdapterError?: { cause?: PrismaCause }; code?: string };
}

interface PrismaCause {
  kind?: string;
  originalCode?: string;
  constraint?: { index?: string; fields?: string[] };
}

const asFailure = (error: unknown): Failure | undefined =>
  typeof error === 'object' && error !== null ? (error as Failure) : undefined;

/** SQLSTATE of a failed statement, whether it ran through pg or through Prisma; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const failure = asFailure(error);
  if (failure === undefined) return undefined;
  const prisma = failure.meta?.driverAdapterError?.cause?.originalCode;
  if (prisma !== undefined) return prisma;
  if (typeof failure.code === 'string' && /^[0-9A-Z]{5}$/.test(failure.code) && !/^P\d{4}$/.test(failure.code))
    return failure.code;
  return isAppError(error) && failure.cause !== undefined ? sqlState(failure.cause) : undefined;
}

/**
 * True when the database could not be reached or dropped the connection, so that the same work may succeed later.
 * A statement that ran into its time limit is not such a case.
 */
export function isConnectionError(error: unknown): boolean {
  const failure = asFailure(error);
  if (failure === undefined) return false;
  if (typeof failure.code === 'string' && (connectionCodes.has(failure.code) || failure.code.startsWith('08')))
    return true;
  if (failure.code === 'P1001' || failure.code === 'P1002' || failure.code === 'P1017' || failure.code === 'P2024')
    return true;
  const state = failure.meta?.driverAdapterError?.cause?.originalCode;
  if (state !== undefined && (connectionCodes.has(state) || state.startsWith('08'))) return true;
  if (typeof failure.message === 'string' && !isAppError(error) && connectionTexts.test(failure.message)) return true;
  if (Array.isArray(failure.errors) && failure.errors.some(isConnectionError)) return true;
  return failure.cause !== undefined && failure.cause !== error && isConnectionError(failure.cause);
}

/** Codes and texts of failures to get a connection: nothing was sent. */
const connectCodes = new Set<string>([
  silenceCodes.beforeSending,
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '53300',
  '57P03',
]);
const connectTexts = /trying to connect|cannot use a pool after calling end|can't reach database server/i;

/** True when the connection was lost under a statement, which may have had its effect. */
export function isLostUnderway(error: unknown): boolean {
  if (!isConnectionError(error)) return false;
  const failure = asFailure(error);
  const cause = failure?.cause;
  if (isAppError(error)) return cause !== undefined && isLostUnderway(cause);
  return !connectCodes.has(failure?.code ?? '') && !connectTexts.test(failure?.message ?? '');
}

/** True for a prepared statement whose result has other columns since a migration. */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' && asFailure(error)?.routine === 'RevalidateCachedQuery';

/** True for a deadlock, a serialization failure or a stale plan: the whole transaction may be run again. */
export const isRetryable = (error: unknown): boolean => {
  const state = sqlState(error);
  return (state !== undefined && retryableCodes.has(state)) || asFailure(error)?.code === 'P2034' || isStalePlan(error);
};

/**
 * True when a unique constraint refused a row, through pg and through Prisma alike.
 * @param constraint name of the constraint or unique index; any when left out
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const failure = asFailure(error);
  if (failure === undefined) return false;
  const adapter = failure.meta?.driverAdapterError?.cause;
  const violated = failure.code === '23505' || failure.code === 'P2002' || sqlState(error) === '23505';
  if (!violated) return isAppError(error) && isUniqueViolation(failure.cause, constraint);
  return constraint === undefined || failure.constraint === constraint || adapter?.constraint?.index === constraint;
}

/** True when a foreign key refused a row or its deletion. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  sqlState(error) === '23503' || asFailure(error)?.code === 'P2003';

/**
 * What a caller of a service may see of a failed statement: `unavailable` when the database is away, overloaded, or the
 * statement ran into its time limit; every other error as it came (a bug, shown as `internal` at the border).
 */
export function databaseError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isConnectionError(error) || sqlState(error) === '57014') return unavailable(error);
  return error;
}
