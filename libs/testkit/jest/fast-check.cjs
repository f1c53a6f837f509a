// Stands in for fast-check in tests: the same cases every time, others with PROPERTY_SEED=<number>.
const fastCheck = require('../../../node_modules/fast-check/lib/cjs/fast-check.js');

fastCheck.configureGlobal({
  ...fastCheck.readConfigureGlobal(),
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_121),
});

module.exports = fastCheck;
