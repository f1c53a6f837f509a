import { inner } from '../../others';

export const asked = inner;
