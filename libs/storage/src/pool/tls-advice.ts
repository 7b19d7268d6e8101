/** Error codes of Node's TLS for a certificate of an unknown authority. */
const unknownAuthority = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
];

/** A sentence that says what to do when TLS makes a PostgreSQL server unreachable; undefined: another reason. Pure. */
export function tlsAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unknownAuthority.includes(code))
    return 'no authority that is trusted here signed its certificate: append ?sslmode=verify-full&sslrootcert=FILE to the address, with the certificate of its authority (PEM)';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate is for another name: write a host into the address that the certificate has';
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired: renew it at the server';
  if (code === 'CERT_NOT_YET_VALID')
    return 'its certificate is not valid yet: compare the clocks of both machines';
  if (/pg_hba\.conf.*no encryption/.test(error.message))
    return 'it demands TLS: append ?sslmode=verify-full&sslrootcert=FILE to the address, with the certificate of its authority (PEM)';
  if (/does not support SSL connections/.test(error.message))
    return 'it has no TLS: set ssl = on in its postgresql.conf, or take sslmode out of the address';
  return undefined;
}
