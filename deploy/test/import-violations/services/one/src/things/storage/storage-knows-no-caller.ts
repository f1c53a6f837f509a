import { useCase } from '../application/use-case';

export const caller = useCase;
