import type { ParcelHash } from './parcel-hashes.ts';

/** The lines that install an agent on a host; each works as it stands. */
export interface InvitationLines {
  /** With curl. */
  readonly command: string;
  /** With GNU wget. */
  readonly commandWget: string;
}

/**
 * Makes the lines. The pin (SHA-256 of the public key of the agents' port, base64) protects the download although the host does not have the
 * authority yet; the script brings it along. Pure.
 */
export function invitationLines(from: {
  /** `https://host:port`, without a slash at the end. */
  readonly url: string;
  readonly pin: string;
  readonly token: string;
  readonly parcels: readonly ParcelHash[];
  /** The line of the public release key, which the agent pins; undefined: there is none. */
  readonly releaseKey: string | undefined;
}): InvitationLines {
  const { url, pin, token, parcels, releaseKey } = from;
  const hashes = parcels.map(({ arch, sha256 }) => `${arch}=${sha256}`).join(',');
  const install = [
    `sudo sh -s -- --token ${token} --endpoint ${url}`,
    ...(hashes === '' ? [] : [`--sha256 ${hashes}`]),
    ...(releaseKey === undefined ? [] : [`--release-key ${releaseKey}`]),
  ].join(' ');
  const header = `'Authorization: Bearer ${token}'`;
  const script = `${url}/install.sh`;
  return {
    command: `curl -fsSLk --pinnedpubkey 'sha256//${pin}' -H ${header} ${script} | ${install}`,
    commandWget: `wget -nv -O- --no-check-certificate --pinnedpubkey='sha256//${pin}' --header=${header} ${script} | ${install}`,
  };
}
