import { defineConfig } from 'prisma/config';

// `generate` needs no schema engine; any harmless executable keeps the CLI from fetching one. Never run
// `migrate deploy` under it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= '/bin/true';

export default defineConfig({ schema: 'schema.prisma' });
