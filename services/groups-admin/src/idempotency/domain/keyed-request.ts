/** A request that came with a key. */
export interface KeyedRequest {
  /** Whose key it is. */
  readonly caller: string;
  readonly key: string;
  /** Digest of what is asked for. A short secret could be guessed from it, so it is stored as a MAC. */
  readonly fingerprint: Buffer;
  /** UUID of this way of the request through a gateway. */
  readonly attempt: string;
}

/** A key as one call took it. */
export interface TakenKey {
  readonly attempt: string;
  /** Until when it counts as running, as PostgreSQL writes it; it is another one once the attempt has been renewed. */
  readonly until: string;
}

/** An answer that is kept. */
export interface KeptAnswer {
  /** HTTP status. */
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What is known of the first request with a key. */
export interface KnownRequest {
  readonly attempt: string;
  readonly fingerprint: Buffer;
  /** `unknown`: it may have been carried out, or not. */
  readonly state: 'running' | 'answered' | 'unknown';
  readonly answer: KeptAnswer | undefined;
}

/** What one caller may have kept, and for how long. */
export interface KeyLimits {
  /** Milliseconds after which a request that has neither ended nor been renewed never will. */
  readonly runningMs: number;
  /** Milliseconds for which an answer is kept. */
  readonly keptMs: number;
  /** Keys. */
  readonly most: number;
  /** Bytes of all answers, encrypted; the last one may exceed them. */
  readonly mostBytes: number;
}
