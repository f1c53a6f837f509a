import type { Kind } from '@switchyard/errors';

export type Known = Kind;
