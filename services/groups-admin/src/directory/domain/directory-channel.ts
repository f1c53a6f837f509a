/** Notices of it say that the directory has changed; they wake the readers that wait, in other replicas too. */
export const directoryChannel = 'switchyard_directory';
