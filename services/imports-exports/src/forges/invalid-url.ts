import { AppError } from '@switchyard/errors';

/** The refusal of a forge whose address may not be reached (G-4.19-7). */
export const invalidUrl = (host: string): AppError => new AppError('invalid', { errors: `Invalid URL: ${host}` });
