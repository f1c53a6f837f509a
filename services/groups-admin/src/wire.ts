/** undefined for what the wire sends as empty. */
export const given = <T extends string | number>(value: T): T | undefined =>
  value === '' || value === 0 ? undefined : value;

/** undefined for an empty list. */
export const some = <T>(values: T[]): T[] | undefined => (values.length === 0 ? undefined : values);
