import type { Message } from '@switchyard/protos/one/v1/message';

export const toResponse = (id: number): Message => ({ id });
