import { launcher } from '../../../deploy/local/launcher';

export const launched = launcher;
