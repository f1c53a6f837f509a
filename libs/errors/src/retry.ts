/** `Retry-After` of a caller that found no free slot: 1 to 5 seconds, spread so that callers do not return together. */
export const retrySeconds = (): number => 1 + Math.floor(Math.random() * 5);

/**
 * HTTP status after which a sender of webhooks retries. Alertmanager retries after a 503 alone: after a 429 it drops
 * the notification.
 * @param userAgent header `User-Agent`; empty without one
 */
export const retryStatusFor = (userAgent: string): 429 | 503 => (/^alertmanager\//i.test(userAgent) ? 503 : 429);
