export const compose = () => 'service';
