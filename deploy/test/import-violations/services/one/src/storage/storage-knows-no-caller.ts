import { toResponse } from '../transport/one.handler';

export const caller = toResponse;
