import { isIP } from 'node:net';
import { Client, connectivityState, credentials } from '@grpc/grpc-js';
import { unavailable } from '@switchyard/errors';
import { channelOptions } from './server';
import { balancing } from './silent-replicas';

/** How a channel keeps up with the replicas of its peer. */
export interface ChannelOptions {
  /** Milliseconds between two looks at the addresses of a name; default 3,000. */
  readonly resolveEveryMs?: number | undefined;
}

/** A channel to all replicas of a peer. */
export interface BalancedChannel {
  /**
   * For the next call, once it is connected, or cannot be. A channel that was given out serves its calls to their end.
   * @param deadline of the call, in milliseconds since the epoch
   * @throws AppError unavailable when the peer hangs
   */
  ready(deadline: number): Promise<Client>;
  /** Whether the address is a name, which several replicas may have. */
  readonly isName: boolean;
  close(): void;
}

/**
 * How long a call waits for a connection, milliseconds: a process that hangs still accepts connections, and never
 * speaks.
 */
const connectWithinMs = 2_000;

/**
 * Waits while the connection is being made, and no longer than a call may be held up by a peer that hangs. One that
 * cannot be reached at all is left to the call, which then fails at once.
 */
async function connected(channel: Client, deadline: number): Promise<void> {
  const inner = channel.getChannel();
  const giveUpAt = Math.min(deadline, Date.now() + connectWithinMs);
  for (;;) {
    const state = inner.getConnectivityState(true);
    if (state !== connectivityState.IDLE && state !== connectivityState.CONNECTING) return;
    await new Promise<void>((resolve, reject) =>
      inner.watchConnectivityState(state, giveUpAt, (error) => (error ? reject(unavailable(error)) : resolve())),
    );
  }
}

const stateOf = (channel: Client): connectivityState => channel.getChannel().getConnectivityState(false);

/** A replica that comes gets its share within 10 s, and one that drains takes calls for 5 s after its address is gone. */
const resolveEvery = 3_000;
/** Milliseconds between two looks for a peer of which no known address can be connected to. */
const lookAgainAfter = 250;
/** By then calls that waited for a connection have one or have failed; calls under way outlive their channel. */
const retireAfterMs = 15_000;

/**
 * Opens a channel to `address` (host:port). grpc-js asks for the addresses of a name again only when a connection is lost, and a server that
 * closes connections for that breaks off calls that are on their way. So the name is asked for by another channel, which takes over once it is
 * connected; connections to the same address are shared between both.
 */
export function balancedChannel(address: string, resolveEveryMs = resolveEvery): BalancedChannel {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  const isName = isIP(host) === 0;
  const open = () =>
    new Client(address, credentials.createInsecure(), { ...channelOptions, ...(isName ? balancing : {}) });
  let current = open();
  const retired = new Map<Client, NodeJS.Timeout>();
  let [renewing, lastLook]: [Promise<void> | undefined, number] = [undefined, Date.now()];

  async function takeOver(): Promise<void> {
    const next = open();
    await connected(next, Number.POSITIVE_INFINITY).catch(() => undefined);
    if (stateOf(next) !== connectivityState.READY) {
      next.close();
      return;
    }
    const old = current;
    current = next;
    const timer = setTimeout(() => {
      retired.delete(old);
      old.close();
    }, retireAfterMs);
    retired.set(old, timer.unref());
  }
  function renew(): Promise<void> {
    renewing ??= takeOver().finally(() => {
      [renewing, lastLook] = [undefined, Date.now()];
    });
    return renewing;
  }
  const timer = isName ? setInterval(() => void renew(), resolveEveryMs) : undefined;
  timer?.unref();

  return {
    isName,
    async ready(deadline) {
      await connected(current, deadline);
      // Its replicas may all have gone since the last look, and others have come.
      const mayHaveMoved = isName && stateOf(current) === connectivityState.TRANSIENT_FAILURE;
      if (mayHaveMoved && (renewing !== undefined || Date.now() - lastLook >= lookAgainAfter)) await renew();
      return current;
    },
    close() {
      clearInterval(timer);
      for (const [old, closing] of retired) {
        clearTimeout(closing);
        old.close();
      }
      current.close();
    },
  };
}
