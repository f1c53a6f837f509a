import type { Message } from '@switchyard/protos/one/v1/message';

export type Crossed = Message;
