/** A notice on it means that the settings of the instance have changed. */
export const settingsChannel = 'switchyard_settings';
