import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isCertificateError } from '@switchyard/config';
import { logger } from '@switchyard/telemetry';
import type { BlobStore } from './blob-store';

/** How the bucket is named in messages. */
export interface BucketPlace {
  readonly bucket: string;
  /** The address of the server, or its name. */
  readonly endpoint: string;
  readonly region: string;
}

/** What a bucket answered: undefined when it can be used. */
type Outcome =
  | { readonly kind: 'away' | 'wrong' /** One line that names the variable. */; readonly message: string }
  | undefined;

/** An error of the SDK. `Code` is there where the server answered as S3 does. */
type S3Error = NodeJS.ErrnoException & {
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
};

const variableOf: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'S3_ACCESS_KEY_ID',
  InvalidToken: 'S3_ACCESS_KEY_ID',
  ExpiredToken: 'S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY',
  AuthorizationHeaderMalformed: 'S3_REGION',
  PermanentRedirect: 'S3_REGION',
  RequestTimeTooSkewed: 'S3_ENDPOINT',
};
const passing = new Set(['RequestTimeout', 'SlowDown', 'TooManyRequests', 'OperationAborted']);

const wrong = (message: string): Outcome => ({ kind: 'wrong', message: message.replace(/\s+/g, ' ') });

/** What `error` says of the settings. */
function outcomeOf(error: unknown, { bucket, endpoint, region }: BucketPlace): Outcome {
  const { name, message, code = '', Code: answer, $metadata } = error as S3Error;
  const status = $metadata?.httpStatusCode;
  // What gives a machine its role may be there later than the process.
  if (name === 'CredentialsProviderError')
    return { kind: 'away', message: `S3_ACCESS_KEY_ID: is missing, and the machine gives no credentials (${message})` };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return wrong(`S3_ENDPOINT: the certificate of ${endpoint} is of another name`);
  if (isCertificateError(code)) return wrong(`S3_CA_FILE: the certificate of ${endpoint} is not trusted (${code})`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return wrong(`S3_ENDPOINT: ${endpoint} speaks no TLS`);
  const isOther = code.startsWith('HPE_') || (status !== undefined && status < 500 && answer === undefined);
  if (isOther && status !== 408 && status !== 429)
    return wrong(`S3_ENDPOINT: ${endpoint} does not speak the protocol of S3`);
  if (status === undefined || status >= 500 || answer === undefined || passing.has(answer))
    return { kind: 'away', message: `S3_ENDPOINT: ${endpoint} does not answer (${answer ?? (code || status)})` };
  if (answer === 'NoSuchBucket') return wrong(`S3_BUCKET: ${endpoint} has no bucket ${bucket}`);
  const variable = variableOf[answer] ?? 'S3_BUCKET';
  const subject = variable === 'S3_REGION' ? `${bucket} is not in ${region}` : `${endpoint} refuses ${bucket}`;
  return wrong(`${variable}: ${subject} (${answer}: ${message})`);
}

/** Writes, reads and removes an object. */
async function useBucket(store: BlobStore, key: string): Promise<void> {
  await store.write(key, (async function* () {})());
  try {
    (await store.open(key))?.content.destroy();
  } finally {
    await store.remove(key);
  }
}

/**
 * Asks for an object that is not there. Unlike HeadBucket the answer has a body, which says whether bucket, keys or rights
 * are at fault, and it takes no right that the store does not need. Without `ListBucket` S3 refuses it, as it refuses a
 * bucket of somebody else: then only use can tell, and not where a policy names the folders of each service.
 */
async function ask(store: BlobStore, place: BucketPlace): Promise<Outcome> {
  const key = `checks/${randomUUID()}`;
  try {
    const found = await store.open(key);
    if (found === undefined) return undefined;
    found.content.destroy();
    return wrong(`S3_ENDPOINT: ${place.endpoint} does not speak the protocol of S3`);
  } catch (error) {
    if ((error as S3Error).Code !== 'AccessDenied') return outcomeOf(error, place);
  }
  try {
    await useBucket(store, key);
    logger.warn(
      { bucket: place.bucket },
      'S3_BUCKET: without the permission ListBucket a missing file looks like a refusal',
    );
    return undefined;
  } catch (error) {
    if ((error as S3Error).Code !== 'AccessDenied') return outcomeOf(error, place);
    logger.error(
      { bucket: place.bucket },
      'S3_BUCKET: refuses all objects below checks/; files can be used only if its policy names the folders of the service',
    );
    return undefined;
  }
}

/** Milliseconds; tests are shorter of patience. */
const usualTimes = { answerTimeout: 10_000, askAgain: 10_000 };

/**
 * Refuses settings with which the bucket can never be used. A server that is away is no fault: it is asked again until
 * the store is closed, and each new answer is logged.
 * @returns the store, whose `close` ends the asking
 * @throws Error with one line that names the variable at fault
 */
export async function checkedBucket(store: BlobStore, place: BucketPlace, times = usualTimes): Promise<BlobStore> {
  const stopping = new AbortController();
  const close = (): void => {
    stopping.abort();
    store.close();
  };
  const check = async (): Promise<Outcome> => {
    const waiting = new AbortController();
    // The SDK itself waits two minutes for a server that says nothing.
    const silence = pause(times.answerTimeout, undefined, { signal: waiting.signal }).then(
      (): Outcome => ({ kind: 'away', message: `S3_ENDPOINT: ${place.endpoint} does not answer` }),
    );
    silence.catch(() => undefined);
    try {
      return await Promise.race([ask(store, place), silence]);
    } finally {
      waiting.abort();
    }
  };
  const askAgain = async (before: string): Promise<void> => {
    for (let last = before; ; ) {
      await pause(times.askAgain, undefined, { ref: false, signal: stopping.signal });
      const outcome = await check();
      if (stopping.signal.aborted) return;
      if (outcome === undefined) return logger.info({ bucket: place.bucket }, 'the bucket answers');
      if (outcome.message !== last) logger.error(outcome.message);
      last = outcome.message;
    }
  };
  const outcome = await check();
  if (outcome?.kind === 'wrong') {
    close();
    throw new Error(outcome.message);
  }
  if (outcome !== undefined) {
    logger.warn(`${outcome.message}; files cannot be read or written until it does`);
    askAgain(outcome.message).catch(() => undefined);
  }
  return { ...store, close };
}
