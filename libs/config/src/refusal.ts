/**
 * Exit code of a process that refuses its configuration, EX_CONFIG of `sysexits.h`: the same start ends the same way,
 * until somebody changes a setting or what it leads to.
 */
export const refusedConfiguration = 78;

/** Exit code of a sub-command that could not be run, or failed. */
export const commandFailed = 2;

/** Exit code of a process that cannot start for another reason. */
const startFailed = 1;

/**
 * The exit code of a process that cannot start. Refusals come from many places; what they share is that their line
 * begins with the name of the variable at fault.
 * @param line that the process ends with
 * @param variables that it reads
 */
export const exitCodeOf = (line: string, variables: readonly string[]): number =>
  variables.some((name) => line.startsWith(`${name}: `)) ? refusedConfiguration : startFailed;
