/** A timestamp as the API prints it: `2024-01-31T08:39:14.883Z`. */
export const dateTime = (date: Date): string => date.toISOString();

/** A timestamp, or null when there is none. */
export const optionalDateTime = (date: Date | undefined): string | null => date?.toISOString() ?? null;
