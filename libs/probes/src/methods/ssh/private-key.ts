const maxLineLength = 200;
const maxHeaders = 10;
/** ssh-keygen uses 16 to 24 rounds. Each costs the agent some 15 ms in every check. */
export const maxRounds = 64;
const label = /^-----BEGIN ((?:OPENSSH|RSA|DSA|EC|ENCRYPTED) )?PRIVATE KEY-----$/;
const header = /^[A-Za-z][A-Za-z0-9-]{0,40}: ?[\x20-\x7e]{1,150}$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The parts of a key's text: RFC 7468, with the headers of RFC 1421 in old encrypted keys. */
interface PemKey {
  readonly kind: string;
  readonly headers: readonly string[];
  readonly bytes: Buffer;
}

/**
 * Reads the envelope of a private key line by line. The libraries that read the key apply patterns that a crafted text
 * can make slow, so they get only keys that this function accepts.
 */
export function readPem(text: string): PemKey | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (lines.some((line) => line.length > maxLineLength)) return undefined;
  const [first = '', ...rest] = lines;
  const kind = label.exec(first)?.[1]?.trim() ?? '';
  if (!label.test(first) || rest.at(-1) !== first.replace('BEGIN', 'END')) return undefined;
  const inner = rest.slice(0, -1);
  const headers = inner.slice(0, Math.max(0, inner.indexOf('')));
  if (headers.length > maxHeaders || !headers.every((line) => header.test(line))) return undefined;
  const body = inner.slice(headers.length === 0 ? 0 : headers.length + 1);
  if (body.length === 0 || !body.every((line) => base64.test(line))) return undefined;
  return { kind, headers, bytes: Buffer.from(body.join(''), 'base64') };
}

/** Whether a library may read this text as a private key. */
export function looksLikeKey(text: string): boolean {
  const pem = readPem(text);
  return pem !== undefined && roundsOf(pem) <= maxRounds;
}

/** The rounds of bcrypt of an encrypted OpenSSH key (PROTOCOL.key of OpenSSH); 0 for any other. */
export function roundsOf({ kind, bytes }: PemKey): number {
  if (kind !== 'OPENSSH') return 0;
  let at = 'openssh-key-v1\0'.length;
  const next = (): Buffer => {
    if (at + 4 > bytes.length) return Buffer.alloc(0);
    const length = bytes.readUInt32BE(at);
    const part = bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return part;
  };
  next();
  if (next().toString('latin1') !== 'bcrypt') return 0;
  const options = next();
  const saltLength = options.length >= 4 ? options.readUInt32BE(0) : 0;
  return options.length >= 8 + saltLength ? options.readUInt32BE(4 + saltLength) : 0;
}
