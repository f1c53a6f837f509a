import { type DuplicatesOfFormats, formats } from '../domain/duplicates';

/** The public settings of a group. */
export const presentPackageSettings = (duplicates: DuplicatesOfFormats): Record<string, boolean | string> =>
  Object.fromEntries(
    formats.flatMap((format) => [
      [`${format}_duplicates_allowed`, duplicates[format].allowed],
      [`${format}_duplicate_exception_regex`, duplicates[format].exceptions],
    ]),
  );
