import { rule } from '../../../services/one/src/things/domain/rule';

export const known = rule;
