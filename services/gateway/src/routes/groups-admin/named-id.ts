import { notFound } from '@switchyard/errors';

/**
 * An id of a path. 0 is no id, and means something else to the services, such as the caller or the presented token.
 * @param noun of the refusal
 */
export const namedId = (id: number, noun?: string): number => {
  if (id <= 0) throw notFound(noun);
  return id;
};
