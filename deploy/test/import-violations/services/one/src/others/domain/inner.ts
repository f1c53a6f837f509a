export const inner = 3;
