/**
 * Number of what rows of the directory contain. It is raised when they get more, so that replicas which an older
 * groups-admin has filled are read again (ADR 66).
 */
export const directoryFormat = 1;
