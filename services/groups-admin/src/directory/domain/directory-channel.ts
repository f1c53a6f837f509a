/** A notice on it means that the directory has changed; it wakes the readers that wait, in other replicas too. */
export const directoryChannel = 'switchyard_directory';
