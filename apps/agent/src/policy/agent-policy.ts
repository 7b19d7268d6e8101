import type { Method } from '@vantage/domain';
import {
  createNetworkSet,
  declareState,
  equivalentAddresses,
  type NetworkSet,
  remembered,
} from '@vantage/kernel';
import type { Policy } from '@vantage/probes';
import type { PolicyFile } from './policy-schema.ts';

/** The checks that the owner of this host allows. */
export interface AgentPolicy extends Policy {
  /** The reason why no check of this Method may run; undefined: it may. */
  refuseMethod(method: Method): string | undefined;
  /** Infinity without a limit. */
  readonly checksPerMinute: number;
  /** The address at which the agent receives traps; undefined: it receives none. */
  readonly traps: PolicyFile['Traps'];
  /** The address at which it receives syslog, and the lines that count; undefined: it receives none. */
  readonly syslog: PolicyFile['Syslog'];
}

/** Addresses at which clouds give credentials to every process of the host. */
const metadataNetworks = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.169.123',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
];

/** Addresses whose answer is remembered, because computing it costs more than the rest of a check's preparation. */
const maxRememberedAnswers = 10_000;

const tracked = declareState({
  name: 'policy_answers',
  entries: maxRememberedAnswers,
  // The text of an answer names the address.
  entryBytes: 300,
  filledBy: 'addresses of targets',
  atBound: 'all are forgotten and computed again',
});

export function policyOf(file: PolicyFile): AgentPolicy {
  const metadata = createNetworkSet(file.CloudMetadata === true ? [] : metadataNetworks);
  const denied = createNetworkSet(file.Networks?.Deny ?? []);
  const allowed = file.Networks?.Allow && createNetworkSet(file.Networks.Allow);
  const allowedMethods = file.Methods && new Set<Method>(file.Methods);
  const inAny = (ranges: readonly number[][], port: number) =>
    ranges.some(([from = 0, to = 0]) => from <= port && port <= to);
  const refuseMethod = (method: Method) => {
    if (method === 'Script' && file.Scripts === false)
      return "scripts are switched off by this agent's policy";
    if (allowedMethods && !allowedMethods.has(method))
      return `${method} is not allowed by this agent's policy`;
    return undefined;
  };
  const decideAddress = (address: string) => {
    const spellings = equivalentAddresses(address);
    if (spellings.length === 0) return `${address} is not an address`;
    const isIn = (networks: NetworkSet) => spellings.some(networks);
    if (isIn(metadata))
      return `${address} hands out cloud credentials; this agent's policy does not allow it`;
    if (isIn(denied)) return `${address} is not allowed by this agent's policy`;
    const isAllowed = allowed === undefined || spellings.every(allowed);
    return isAllowed ? undefined : `${address} is not allowed by this agent's policy`;
  };
  const refuseAddress = remembered(
    tracked(new Map<string, { answer: string | undefined }>()),
    maxRememberedAnswers,
    decideAddress,
  );
  const refusePort = (port: number) => {
    if (port === 0) return undefined;
    const isDenied = inAny(file.Ports?.Deny ?? [], port);
    const isAllowed = file.Ports?.Allow === undefined || inAny(file.Ports.Allow, port);
    return isAllowed && !isDenied ? undefined : `port ${port} is not allowed by this agent's policy`;
  };
  return {
    refuse: ({ address, port, method }) => refuseMethod(method) ?? refuseAddress(address) ?? refusePort(port),
    refuseMethod,
    checksPerMinute: file.ChecksPerMinute ?? Number.POSITIVE_INFINITY,
    traps: file.Traps,
    syslog: file.Syslog,
  };
}
