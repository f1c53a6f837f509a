export type Kind = 'not_found';
