/** Milliseconds for an image to arrive. */
const PULL_MS = 300_000;

/** Images that tests run; another registry's, or other versions, by the environment. */
const IMAGES = {
  postgres: process.env.TEST_POSTGRES_IMAGE || 'postgres:18',
  kafka: process.env.TEST_KAFKA_IMAGE || 'apache/kafka:3.9.1',
};

/**
 * Asks the container engine for what tests need of it: an answer, its reaper, the images. The `docker` binary alone proves nothing, nor does an
 * engine that cannot pull.
 *
 * @returns {Promise<{ usable: true } | { usable: false, answers: boolean, reason: string }>} `reason` in one line
 */
async function containerEngine() {
  const { getContainerRuntimeClient, getReaper } = require('testcontainers');
  let client;
  try {
    client = await getContainerRuntimeClient();
  } catch {
    return { usable: false, answers: false, reason: 'no container engine answers' };
  }
  try {
    await Promise.all(Object.values(IMAGES).map((image) => pull(client, image)));
    await getReaper(client);
    return { usable: true };
  } catch (error) {
    return { usable: false, answers: true, reason: `the container engine ${error.message.split('\n', 1)[0]}` };
  }
}

async function pull(client, image) {
  const { ImageName } = require('testcontainers');
  const name = ImageName.fromString(image);
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not within ${PULL_MS / 1_000} s`)), PULL_MS);
  });
  try {
    await Promise.race([client.image.pull(name), late]);
    // An engine may report the failure in the stream alone.
    if (!(await client.image.exists(name))) throw new Error('no image came');
  } catch (error) {
    throw new Error(`cannot pull ${image} (${error.message})`);
  } finally {
    clearTimeout(timer);
  }
}

module.exports = { IMAGES, containerEngine };
