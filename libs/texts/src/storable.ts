/** Whether PostgreSQL keeps a text as it is: it stores no NUL, and a lone surrogate has no UTF-8 form. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The same of every key and text in a value of JSON. */
export const isStorableValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? isStorable(value)
    : typeof value !== 'object' ||
      value === null ||
      Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableValue(inner));
