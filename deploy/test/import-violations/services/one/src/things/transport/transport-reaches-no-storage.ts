import { store } from '../storage/one.store';

export const reached = store;
