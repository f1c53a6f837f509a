import { rule } from '../domain/rule';

export const useCase = () => rule;
