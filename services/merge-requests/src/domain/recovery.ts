/**
 * Seconds after which another process takes over what a dead one left unfinished, unless the installation says otherwise: ref changes,
 * merges under way, jobs. The looks for such work are as far apart.
 */
export const recoverySeconds = 5;
