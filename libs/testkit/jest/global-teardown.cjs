/** Ends what global-setup.cjs started. */
module.exports = async () => {
  for (const stop of (globalThis.testServers ?? []).reverse()) await stop();
};
