import { rule } from '../../../services/one/src/domain/rule';

export const known = rule;
