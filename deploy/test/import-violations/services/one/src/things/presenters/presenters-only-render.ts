import { toResponse } from '../transport/one.handler';

export const rendered = toResponse(1);
