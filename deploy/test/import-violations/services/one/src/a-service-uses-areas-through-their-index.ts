import { inner } from './others/domain/inner';

export const used = inner;
