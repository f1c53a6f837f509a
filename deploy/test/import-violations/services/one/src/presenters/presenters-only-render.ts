import { useCase } from '../application/use-case';

export const rendered = useCase();
