import { compose } from '../compose';

export const composed = compose();
