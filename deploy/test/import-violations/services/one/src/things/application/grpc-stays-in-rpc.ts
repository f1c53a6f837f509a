import { status } from '@grpc/grpc-js';

export const code = status.OK;
