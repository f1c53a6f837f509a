import { Prisma } from '@prisma/client';

export const sql = Prisma;
