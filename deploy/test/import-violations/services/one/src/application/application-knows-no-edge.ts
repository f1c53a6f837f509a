import { toResponse } from '../transport/one.handler';

export const edge = toResponse;
