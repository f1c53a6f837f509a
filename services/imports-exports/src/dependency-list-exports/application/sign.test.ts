import { createPrivateKey, sign, verify } from 'node:crypto';
import { fileSigner, followingSigner } from './sign';

async function* inPieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 1_000) yield content.subarray(at, at + 1_000);
}

it.each([0, 1, 999, 100_000])('a streamed signature of %i bytes is that of Node over the whole', async (size) => {
  const seed = Buffer.alloc(32, size % 251);
  const content = Buffer.alloc(size, 'abc');
  const { publicKey, sign: signStream } = fileSigner(seed);
  const signature = await signStream(async () => inPieces(content));
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  expect(signature).toEqual(sign(null, content, createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })));
  expect(verify(null, content, publicKey, signature)).toBe(true);
  expect(verify(null, Buffer.concat([content, Buffer.from('x')]), publicKey, signature)).toBe(false);
});

it('signs with a new key once there is one', async () => {
  const content = Buffer.from('content');
  const signOnce = (signer: ReturnType<typeof fileSigner>) => signer.sign(async () => inPieces(content));
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  let seeds: [Buffer, ...Buffer[]] = [old];
  const signer = followingSigner(() => seeds);
  expect(await signOnce(signer)).toEqual(await signOnce(fileSigner(old)));
  seeds = [next, old];
  expect(verify(null, content, signer.publicKey, await signOnce(signer))).toBe(true);
  expect(signer.publicKey.equals(fileSigner(next).publicKey)).toBe(true);
});
