/** The date of a timestamp, UTC, `YYYY-MM-DD`. */
export const dateOf = (timestamp: Date): string => timestamp.toISOString().slice(0, 10);
