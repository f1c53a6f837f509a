import { other } from '../../../../two/src/things/domain/other';

export const met = other;
