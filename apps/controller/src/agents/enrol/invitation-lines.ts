import type { ParcelHash } from './parcel-folder.ts';

/** The lines that install an agent on a host; each works as it stands. */
export interface InvitationLines {
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
 * The whole line. The script is saved and runs from a file, so the line ends with the status of the download if that
 * fails. A pipe would end with the status of the shell, which runs an empty script without an error. Text after the
 * line becomes arguments of the script.
 */
function lineOf(download: string, args: string): string {
  const sudo = 's=; [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null || s=sudo';
  const run = `f=$(mktemp) || exit 1; trap "rm -f $f" EXIT; ${download}; ${sudo}; $s sh "$f" "$@"`;
  return `sh -c '${run}' install ${args}`;
}
