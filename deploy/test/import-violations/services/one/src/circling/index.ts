export const lower = 4;
