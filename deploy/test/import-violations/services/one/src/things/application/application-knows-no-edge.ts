import { store } from '../storage/one.store';

export const edge = store;
