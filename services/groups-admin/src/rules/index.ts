/** Rules that several areas share. Pure: they import nothing but libs that the domain may import. */
export { internalUserTypes, isInternalUser } from './internal-user';
export { maxDepth, nameProblems, pathFromName, pathProblems } from './path';
export { lengthProblems, maxDescription, note, type Problems, refuse, taken } from './problems';
export { isWider, type Visibility, visibilities } from './visibility';
