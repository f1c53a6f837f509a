export const directory = 'directory';
