// Prints, as SQL, what Prisma would change in a migrated database to make it what a schema.prisma describes; nothing when they agree.
// usage: DATABASE_URL=… node schema-diff.mjs <schema.prisma>
// A process of its own: the engine is an ES module, which Jest's CommonJS cannot load.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

/** Types of PostgreSQL's catalogue: `"char"`, which the adapter does not map, and `text`. */
const char = 18;
const text = 25;

function loadEngine() {
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const module = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')));
  const { exports } = new WebAssembly.Instance(module, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
}

/** The engine reads the catalogue, whose `"char"` columns the adapter refuses: they are handed on as text. */
function readingCharColumns(factory) {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const performIO = adapter.performIO.bind(adapter);
    let chars = [];
    adapter.performIO = async (query) => {
      const result = await performIO(query);
      chars = result.fields.map(({ dataTypeID }) => dataTypeID === char);
      return {
        ...result,
        fields: result.fields.map((field, at) => (chars[at] ? { name: field.name, dataTypeID: text } : field)),
      };
    };
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type, at) => (chars[at] ? ColumnTypeEnum.Character : type));
      return { ...result, columnTypes };
    };
    return adapter;
  };
  return factory;
}

const [schemaFile] = process.argv.slice(2);
const files = [{ path: schemaFile, content: readFileSync(schemaFile, 'utf8') }];
loadEngine();
const factory = readingCharColumns(new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 1 }));
const started = await engine.SchemaEngine.new(
  { datamodels: files.map((file) => [file.path, file.content]) },
  () => undefined,
  bindMigrationAwareSqlAdapterFactory(factory),
);
const { stdout } = await started.diff({
  from: { tag: 'schemaDatasource', files, configDir: dirname(schemaFile) },
  to: { tag: 'schemaDatamodel', files },
  script: true,
  exitCode: null,
  filters: { externalTables: ['public._prisma_migrations', 'public._additive_migrations'], externalEnums: [] },
});
process.stdout.write(stdout ?? '');
process.exit(0);
