import { directory } from '@switchyard/directory';

export const leaning = directory;
