export const kit = 'kit';
