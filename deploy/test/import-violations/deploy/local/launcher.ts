export const launcher = 5;
