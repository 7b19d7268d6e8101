/** The controller refuses to connect to the address. */
export class ForbiddenTargetError extends Error {}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  ESOCKET: 'closed the connection',
  ECONNECTION: 'closed the connection',
  ENOTFOUND: 'is a name that does not exist',
  EDNS: 'is a name that does not exist',
  EAI_AGAIN: 'is a name that could not be resolved',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer',
  EPROTO: 'does not speak TLS there',
  HPE_HEADER_OVERFLOW: 'sent a header that is too long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that is not trusted',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
};

/**
 * The reason why a connection to `host` failed, for people. The text of the error itself is left out, because it may
 * contain an address with its credentials.
 */
export function faultText(error: unknown, host: string): string {
  const code = codeOf(error);
  const known = code === undefined ? undefined : texts[code];
  if (known !== undefined) return `${host} ${known}`;
  if (code?.startsWith('HPE_') === true) return `${host} does not speak HTTP there`;
  return `the connection to ${host} failed${code === undefined ? '' : ` (${code})`}`;
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EDNS',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Whether a message may have arrived though its attempt failed with this error. */
export function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof ForbiddenTargetError) && !neverConnected.has(codeOf(error) ?? '');
}

/** The code of an error, or of the error that it wraps. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Nodemailer has a code of its own for all faults of a socket.
  if ('originalCode' in error && typeof error.originalCode === 'string') return error.originalCode;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
