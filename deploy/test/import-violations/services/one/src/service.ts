export const service = { run: () => 'service' };
