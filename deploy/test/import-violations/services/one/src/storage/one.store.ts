import { rule } from '../domain/rule';

export const store = rule;
