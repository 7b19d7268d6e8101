import { type Method, methods } from '@vantage/domain';
import {
  boundedText,
  createNetworkSet,
  declareState,
  equivalentAddresses,
  isNetwork,
  messageOf,
  type NetworkSet,
  remembered,
} from '@vantage/kernel';
import type { Policy } from '@vantage/probes';
import { z } from 'zod';

/** The checks that this machine's owner allows. */
export interface AgentPolicy extends Policy {
  /** Why no check of this method may run at all; undefined: it may. */
  refuseMethod(method: Method): string | undefined;
  /** Infinity without a limit. */
  readonly checksPerMinute: number;
}

/** The policy, or all problems of its file. */
export type PolicyResult =
  | { readonly ok: true; readonly policy: AgentPolicy }
  | { readonly ok: false; readonly problems: readonly string[] };

const network = boundedText(100).refine(
  isNetwork,
  'must be an address or a network: 192.0.2.1, 10.0.0.0/8, 2001:db8::/32',
);
const ports = z
  .union([z.int().min(1).max(65_535), boundedText(100).regex(/^\d{1,5}-\d{1,5}$/)])
  .transform((value) => (typeof value === 'number' ? [value, value] : value.split('-').map(Number)))
  .refine(
    ([from = 0, to = 0]) => from >= 1 && from <= to && to <= 65_535,
    'must be a port or a range: 443, 8000-8999',
  );

/** The policy file. An absent key limits nothing; Deny goes before Allow. */
const fileSchema = z.strictObject({
  Networks: z
    .strictObject({ Allow: z.array(network).optional(), Deny: z.array(network).optional() })
    .optional(),
  Ports: z.strictObject({ Allow: z.array(ports).optional(), Deny: z.array(ports).optional() }).optional(),
  Methods: z.array(z.enum(methods)).optional(),
  Scripts: z.boolean().optional(),
  ChecksPerMinute: z.int().min(1).optional(),
  CloudMetadata: z.boolean().optional(),
});

type PolicyFile = z.output<typeof fileSchema>;

/** Addresses at which clouds hand out credentials to every process of the machine. */
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

/** Reads the policy file's text. Without a file the policy allows everything but cloud metadata addresses. */
export function loadPolicy(text: string | undefined): PolicyResult {
  if (text === undefined) return { ok: true, policy: policyOf({}) };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [`the policy file is not JSON: ${messageOf(error)}`] };
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return { ok: true, policy: policyOf(parsed.data) };
  const problems = parsed.error.issues.map(
    (issue) => `policy file, ${issue.path.join('.') || 'top'}: ${issue.message}`,
  );
  return { ok: false, problems };
}

/** Addresses whose answer a policy remembers; to compute it costs more than the rest of a check's preparation. */
const mostKnown = 10_000;

const tracked = declareState({
  name: 'policy_answers',
  entries: mostKnown,
  // The text of an answer names the address.
  entryBytes: 300,
  filledBy: 'addresses of targets',
  atBound: 'all are forgotten and computed again',
});

function policyOf(file: PolicyFile): AgentPolicy {
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
    if (spellings.length === 0) return `${address} is no address`;
    const isIn = (networks: NetworkSet) => spellings.some(networks);
    if (isIn(metadata))
      return `${address} hands out cloud credentials; this agent's policy does not allow it`;
    if (isIn(denied)) return `${address} is not allowed by this agent's policy`;
    const isAllowed = allowed === undefined || spellings.every(allowed);
    return isAllowed ? undefined : `${address} is not allowed by this agent's policy`;
  };
  const refuseAddress = remembered(
    tracked(new Map<string, { answer: string | undefined }>()),
    mostKnown,
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
  };
}
