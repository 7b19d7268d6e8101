import type { Clock } from '@vantage/kernel';
import { type AddressCheck, checkAddress } from './check-address.ts';
import { type InvitationLines, invitationLines } from './invitation-lines.ts';
import { readParcelHashes } from './parcel-hashes.ts';

/** Whether agents can be invited to an address: the lines for a token, or why an agent could not come in there. */
export type InvitationPlan =
  | {
      readonly kind: 'ready';
      readonly linesFor: (token: string) => InvitationLines;
      /** For the inviter, in sentences. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'conflict'; readonly message: string; readonly isUnreachable?: true };

const elsewhere = 'VANTAGE_AGENT_URL must be the address at which agents reach this controller';

/** Why an agent could not connect at an address; undefined: it could, or nobody knows. Pure. */
function conflictAt(url: string, check: AddressCheck, tlsNames: readonly string[]): string | undefined {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (check.kind === 'unnamed') {
    const names = [...new Set([...tlsNames, host])].join(',');
    return `The controller's certificate does not have the name ${host}, so no agent could trust it there. Start the controller with VANTAGE_TLS_NAMES=${names} and invite again.`;
  }
  if (check.kind !== 'foreign') return undefined;
  return `${url} is not the agents' port of this controller: its certificate is of another authority. ${elsewhere}.`;
}

/**
 * Plans an invitation: connects to the addresses as an agent would. Rejects when the folder of parcels cannot be read.
 */
export async function planInvitation({
  urls,
  trusted,
  pin: ownPin,
  tlsNames,
  parcels: folder,
  releaseKey,
  clock,
  isChecked = true,
  noParcel = 'Run "npm run parcel" there and invite again',
}: {
  /** `https://host:port` of each agents' port. */
  readonly urls: readonly string[];
  /** Certificates of the authorities, PEM. */
  readonly trusted: readonly string[];
  /** The pin of the controllers' key, for an address that cannot be reached; undefined: not known. */
  readonly pin: string | undefined;
  /** The present value of VANTAGE_TLS_NAMES. */
  readonly tlsNames: readonly string[];
  /** Folder of the parcels. */
  readonly parcels: string;
  /** The line of the public release key; undefined: there is none. */
  readonly releaseKey: string | undefined;
  readonly clock: Pick<Clock, 'timer'>;
  /** False: the inviter knows that the addresses are right, and nobody connects to them. */
  readonly isChecked?: boolean;
  /** Why there is no parcel, or what to do, without a full stop. */
  readonly noParcel?: string | undefined;
}): Promise<InvitationPlan> {
  const checks = await Promise.all(
    (isChecked ? urls : []).map(async (url) => ({ url, check: await checkAddress(url, { trusted, clock }) })),
  );
  for (const { url, check } of checks) {
    const message = conflictAt(url, check, tlsNames);
    if (message !== undefined) return { kind: 'conflict', message };
  }
  const parcels = await readParcelHashes(folder);
  const warnings = checks.flatMap(({ url, check }) =>
    check.kind === 'unreachable'
      ? [`The controller cannot reach ${url} itself (${check.why}). ${elsewhere}.`]
      : [],
  );
  if (parcels.length === 0) warnings.push(`The controller has no parcel of the agent: ${noParcel}.`);
  const pin = checks.flatMap(({ check }) => (check.kind === 'reached' ? [check.pin] : []))[0] ?? ownPin;
  if (pin === undefined && !isChecked)
    warnings.push("The controllers' certificate is not known here, and nobody asked for it at the address.");
  if (pin === undefined) return { kind: 'conflict', message: warnings.join(' '), isUnreachable: true };
  return {
    kind: 'ready',
    warnings,
    linesFor: (token) => invitationLines({ urls, pin, token, parcels, releaseKey }),
  };
}
