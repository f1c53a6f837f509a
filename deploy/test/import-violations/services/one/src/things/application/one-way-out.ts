import { request } from 'undici';

export const ask = request;
