import { connect } from 'node:tls';
import { type Clock, messageOf } from '@vantage/kernel';
import { pinOf } from '../../server/public-key-pin.ts';
import { covers } from '../../server/server-certificate.ts';
import { type InvitationLines, invitationLines } from './invitation-lines.ts';
import { readParcelHashes } from './parcel-folder.ts';

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
  certificate,
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
  /** False: the inviter knows that the addresses are right, so the controller does not connect to them. */
  readonly isChecked?: boolean;
  /** The certificate of the agents' port, PEM: the hosts of the addresses must be among its names. */
  readonly certificate?: string | undefined;
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
  const unnamed = urls.map(hostOf).find((host) => certificate !== undefined && !covers(certificate, [host]));
  if (unnamed !== undefined) return { kind: 'conflict', message: unnamedText(unnamed, tlsNames) };
  const parcels = await readParcelHashes(folder);
  const warnings = checks.flatMap(({ url, check }) =>
    check.kind === 'unreachable'
      ? [`The controller cannot reach ${url} itself (${check.why}). ${elsewhere}.`]
      : [],
  );
  if (parcels.length === 0) warnings.push(`The controller has no parcel of the agent: ${noParcel}.`);
  const pin = checks.flatMap(({ check }) => (check.kind === 'reached' ? [check.pin] : []))[0] ?? ownPin;
  if (pin === undefined && !isChecked)
    warnings.push("The controllers' certificate is not known here, and it was not requested at the address.");
  if (pin === undefined) return { kind: 'conflict', message: warnings.join(' '), isUnreachable: true };
  return {
    kind: 'ready',
    warnings,
    linesFor: (token) => invitationLines({ urls, pin, token, parcels, releaseKey }),
  };
}

/** The reason why an agent cannot connect to an address; undefined: it can, or that is unknown. Pure. */
function conflictAt(url: string, check: AddressCheck, tlsNames: readonly string[]): string | undefined {
  if (check.kind === 'unnamed') return unnamedText(hostOf(url), tlsNames);
  if (check.kind !== 'foreign') return undefined;
  return `${url} is not the agents' port of this controller: its certificate is of another authority. ${elsewhere}.`;
}

/** The host of a URL; an IPv6 address without its brackets. */
const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

function unnamedText(host: string, tlsNames: readonly string[]): string {
  const names = [...new Set([...tlsNames, host])].join(',');
  return `The controller's certificate does not have the name ${host}, so no agent could trust it there. Start the controller with VANTAGE_TLS_NAMES=${names} and invite again.`;
}

/** The result of checking the address of the agents' port. */
type AddressCheck =
  /** A controller of this database; `pin` is of its certificate. */
  | { readonly kind: 'reached'; readonly pin: string }
  /** One whose certificate does not have the name. */
  | { readonly kind: 'unnamed' }
  /** Something whose certificate is of another authority. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreachable'; readonly why: string };

const connectWithinMs = 3_000;

/** Connects to `https://host:port` as an agent does that trusts these authorities (PEM). Never rejects. */
export function checkAddress(
  url: string,
  { trusted, clock }: { readonly trusted: readonly string[]; readonly clock: Pick<Clock, 'timer'> },
): Promise<AddressCheck> {
  const { port } = new URL(url);
  const host = hostOf(url);
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ca: [...trusted],
      ALPNProtocols: ['h2'],
      servername: /[a-z]/i.test(host) && !host.includes(':') ? host : '',
      rejectUnauthorized: false,
    });
    const end = (check: AddressCheck) => {
      late[Symbol.dispose]();
      socket.destroy();
      resolve(check);
    };
    const late = clock.timer(connectWithinMs, () =>
      end({ kind: 'unreachable', why: `no answer within ${connectWithinMs / 1000} s` }),
    );
    socket.once('error', (error) => end({ kind: 'unreachable', why: messageOf(error) }));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const fault = socket.authorized ? undefined : `${socket.authorizationError}`;
      if (fault === undefined && certificate !== undefined)
        return end({ kind: 'reached', pin: pinOf(certificate.toString()) });
      end({ kind: fault?.includes('ALTNAME') === true ? 'unnamed' : 'foreign' });
    });
  });
}
