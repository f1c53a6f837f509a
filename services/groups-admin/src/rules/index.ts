/** Rules that several areas share. Pure: they import nothing but libs that the domain may import. */
export { internalUserTypes, isInternalUser } from './internal-user';
export { isWider, type Visibility, visibilities } from './openness';
export { maxDepth, nameProblems, pathFromName, pathProblems } from './path';
export { lengthProblems, maxDescription, note, type Problems, refuse, taken } from './problems';
