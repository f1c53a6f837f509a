import type { Request } from 'express';

export type Seen = Request;
