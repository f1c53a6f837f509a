import { lower } from '../circling';

export const upper = lower;
