// Loaded into the processes of a test (`node --require`): answers for the names of its services as the DNS of a cluster does. The file of
// SWITCHYARD_TEST_NAMES has the addresses of each service. `<service>.every.test` is a headless Service, all of them;
// `<service>.one.test` a Service with an address of its own, behind which each new connection goes to any of them.
const dns = require('node:dns');
const { readFileSync } = require('node:fs');

const { lookup } = dns;
const lookupPromise = dns.promises.lookup;
const form = /^([a-z-]+)\.(every|one)\.test$/;

function addressesOf(hostname) {
  const [, service, kind] = form.exec(hostname);
  const all = JSON.parse(readFileSync(process.env.SWITCHYARD_TEST_NAMES, 'utf8'))[service] ?? [];
  if (all.length === 0) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  return kind === 'every' ? all : [all[Math.floor(Math.random() * all.length)]];
}

const entries = (hostname) => addressesOf(hostname).map((address) => ({ address, family: 4 }));

dns.lookup = (hostname, options, callback = options) => {
  if (!form.test(hostname)) return lookup(hostname, options, callback);
  process.nextTick(() => {
    try {
      const found = entries(hostname);
      if (options?.all) callback(null, found);
      else callback(null, found[0].address, 4);
    } catch (error) {
      callback(error);
    }
  });
};

dns.promises.lookup = async (hostname, options) => {
  if (!form.test(hostname)) return lookupPromise(hostname, options);
  const found = entries(hostname);
  return options?.all ? found : found[0];
};
