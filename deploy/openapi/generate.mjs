import { mkdirSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { document } from './document.mjs';

// Types of a client: `paths` of gen/api.ts. A value with a default may be left out of a request.
const nodes = await openapiTypescript(document(), { defaultNonNullable: false });
const folder = new URL('./gen/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('api.ts', folder), astToString(nodes));
