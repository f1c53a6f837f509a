/** Why a request got no answer. */
export type RefusalReason =
  /** The request itself cannot be sent: its address, a header, its size. */
  | 'invalid'
  /** The target, or what it redirects to, is not public and not allowed. */
  | 'address'
  /** Too many redirects, or one that must not be followed. */
  | 'redirect'
  /** The certificate is not valid, or TLS failed. */
  | 'tls'
  /** The headers of the answer are too large, or its body where that streams. */
  | 'too_large'
  /** No whole answer in time. */
  | 'timeout'
  /** No connection, or it broke. */
  | 'unreachable'
  /** The caller aborted. */
  | 'aborted';

/** A request that got no answer. Its message is meant for users and names no address that they did not give. */
export class OutboundRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutboundRefused';
    this.reason = reason;
  }
}

const tlsCode = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/;

const texts: Record<string, readonly [RefusalReason, string]> = {
  ENOTFOUND: ['unreachable', 'The name of the host cannot be resolved'],
  EAI_AGAIN: ['unreachable', 'The name of the host cannot be resolved at the moment'],
  ECONNREFUSED: ['unreachable', 'The connection was refused'],
  ECONNRESET: ['unreachable', 'The connection was reset'],
  EPIPE: ['unreachable', 'The connection was reset'],
  EHOSTUNREACH: ['unreachable', 'The host cannot be reached'],
  ENETUNREACH: ['unreachable', 'The host cannot be reached'],
  UND_ERR_SOCKET: ['unreachable', 'The connection was closed without an answer'],
  ETIMEDOUT: ['timeout', 'The host did not answer in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'The host did not answer in time'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'The host did not answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'The host did not answer in time'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'The headers of the answer are too large'],
};

/** What a failure of the network is to a user. */
export function refusalOf(error: unknown): OutboundRefused {
  if (error instanceof OutboundRefused) return error;
  // Attempts on several addresses come as one error that holds theirs.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  if (first instanceof OutboundRefused) return first;
  const { code = '', cause } = (first ?? {}) as { code?: string; cause?: unknown };
  if (code === 'UND_ERR_SOCKET' && cause instanceof Error) return refusalOf(cause);
  if (tlsCode.test(code)) {
    return new OutboundRefused('tls', `The TLS certificate of the host is not accepted (${code})`, { cause: error });
  }
  if (code.startsWith('HPE_')) {
    const isLarge = code === 'HPE_HEADER_OVERFLOW';
    return new OutboundRefused(
      isLarge ? 'too_large' : 'unreachable',
      isLarge ? 'The headers of the answer are too large' : 'The answer is not HTTP',
      { cause: error },
    );
  }
  const [reason, text] = texts[code] ?? (['unreachable', 'The request failed'] as const);
  return new OutboundRefused(reason, text, { cause: error });
}
