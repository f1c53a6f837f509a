/**
 * Number of what rows of the directory contain, and of what a replica stores of them. It is raised when either gets more,
 * so that replicas which older processes have filled are read again (ADR 66).
 */
export const directoryFormat = 2;
