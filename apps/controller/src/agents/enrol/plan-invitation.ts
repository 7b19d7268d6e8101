import { connect } from 'node:tls';
import { type Clock, messageOf } from '@vantage/kernel';
import { pinOf } from '../../platform/server/pin.ts';
import { type ParcelHash, readParcelHashes } from './parcels.ts';

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
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
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

/** The lines that install an agent on a host; each works as it stands. */
interface InvitationLines {
  /** With curl. */
  readonly command: string;
  /** With GNU wget. */
  readonly commandWget: string;
}

/**
 * Creates the lines. The pin (SHA-256 of the public key of the agents' port, base64) protects the download although the
 * host does not have the authority yet; the script brings it along. Pure.
 */
export function invitationLines(from: {
  /** `https://host:port` of each agents' port, without a slash at the end. The script comes from the first one. */
  readonly urls: readonly string[];
  readonly pin: string;
  readonly token: string;
  readonly parcels: readonly ParcelHash[];
  /** The line of the public release key, which the agent pins; undefined: there is none. */
  readonly releaseKey: string | undefined;
}): InvitationLines {
  const { urls, pin, token, parcels, releaseKey } = from;
  const hashes = parcels.map(({ arch, sha256 }) => `${arch}=${sha256}`).join(',');
  const args = [
    `--token ${token} --endpoint ${urls.join(',')}`,
    ...(hashes === '' ? [] : [`--sha256 ${hashes}`]),
    ...(releaseKey === undefined ? [] : [`--release-key ${releaseKey}`]),
  ].join(' ');
  const key = `--pinnedpubkey "sha256//${pin}"`;
  const header = `"Authorization: Bearer ${token}"`;
  const script = `${urls[0]}/install.sh`;
  return {
    command: lineOf(
      `c=$(curl -sSk ${key} -H ${header} -o "$f" -w "%{http_code}" ${script}) || exit 4; case $c in 200) ;; 40[13]) ${refused(6)} ;; *) ${refused(4)} ;; esac`,
      args,
    ),
    commandWget: lineOf(
      `wget -nv -O "$f" --content-on-error --no-check-certificate ${key} --header=${header} ${script}; case $? in 0) ;; 6) ${refused(6)} ;; *) ${refused(4)} ;; esac`,
      args,
    ),
  };
}

/** Shows the controller's answer and ends with this exit status (docs/install-agent.md has their meanings). */
function refused(status: number): string {
  return `cat "$f" >&2; exit ${status}`;
}

/**
 * The whole line. The script goes to a file and runs from there, so that the line ends with the status of what
 * failed: a pipe ends with that of its last command, which runs an empty script without a fault. What follows the
 * line are arguments of the script.
 */
function lineOf(download: string, args: string): string {
  const sudo = 's=; [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null || s=sudo';
  const run = `f=$(mktemp) || exit 1; trap "rm -f $f" EXIT; ${download}; ${sudo}; $s sh "$f" "$@"`;
  return `sh -c '${run}' install ${args}`;
}
