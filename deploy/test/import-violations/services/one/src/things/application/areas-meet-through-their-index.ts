import { inner } from '../../others/domain/inner';

export const met = inner;
