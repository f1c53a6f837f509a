import { connectivityState, experimental } from '@grpc/grpc-js';
import { isUnacknowledged } from './acknowledgement';

/** By then the connection to a process that hangs has been closed, and calls are not given to it anyway. */
const sparedForMs = 5_000;

/** Addresses at which a call was not acknowledged, and until when another one is chosen, by the clock of `performance`. */
const silentUntil = new Map<string, number>();

function noteSilent(address: string): void {
  const now = performance.now();
  for (const [other, until] of silentUntil) if (until <= now) silentUntil.delete(other);
  silentUntil.set(address, now + sparedForMs);
}

const isSilent = (address: string | undefined): boolean =>
  address !== undefined && performance.now() < (silentUntil.get(address) ?? 0);

class SparingPicker implements experimental.Picker {
  constructor(private readonly inTurn: experimental.Picker) {}

  pick(args: experimental.PickArgs): experimental.PickResult {
    const first = this.inTurn.pick(args);
    const firstAddress = first.subchannel?.getAddress();
    let [picked, address] = [first, firstAddress];
    while (isSilent(address)) {
      picked = this.inTurn.pick(args);
      address = picked.subchannel?.getAddress();
      // All are silent.
      if (address === firstAddress) break;
    }
    if (address === undefined) return picked;
    const { onCallEnded } = picked;
    const chosen = address;
    return {
      ...picked,
      onCallEnded: (code, details, metadata) => {
        if (isUnacknowledged({ code, details })) noteSilent(chosen);
        onCallEnded?.(code, details, metadata);
      },
    };
  }
}

const typeName = 'switchyard_round_robin';
const roundRobin = experimental.parseLoadBalancingConfig({ round_robin: {} });

/** All addresses in turn, but for those that were silent just now. */
class SparingBalancer extends experimental.ChildLoadBalancerHandler {
  constructor(helper: Parameters<typeof experimental.createChildChannelControlHelper>[0]) {
    const updateState: typeof helper.updateState = (state, picker, message) =>
      helper.updateState(state, state === connectivityState.READY ? new SparingPicker(picker) : picker, message);
    super(experimental.createChildChannelControlHelper(helper, { updateState }));
  }

  override updateAddressList(
    ...[endpoints, , options, note]: Parameters<experimental.LoadBalancer['updateAddressList']>
  ): boolean {
    return super.updateAddressList(endpoints, roundRobin, options, note);
  }

  override getTypeName(): string {
    return typeName;
  }
}

class SparingConfig implements experimental.TypedLoadBalancingConfig {
  static createFromJson(): SparingConfig {
    return new SparingConfig();
  }
  getLoadBalancerName(): string {
    return typeName;
  }
  toJsonObject(): object {
    return { [typeName]: {} };
  }
}

experimental.registerLoadBalancerType(typeName, SparingBalancer, SparingConfig);

/** Calls go to all addresses of a name in turn; one that was silent is passed over for 5 s while there is another. */
export const balancing = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ [typeName]: {} }] }),
  // Nothing of ours stands in a TXT record.
  'grpc.service_config_disable_resolution': 1,
} as const;
