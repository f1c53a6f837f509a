import { absent } from './absent';

export const unresolved = absent;
