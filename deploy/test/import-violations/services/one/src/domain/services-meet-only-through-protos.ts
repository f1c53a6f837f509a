import { other } from '../../../two/src/domain/other';

export const met = other;
