import { messageOf } from '@vantage/kernel';

/** Node's codes for a certificate whose authority is not trusted. */
const untrusted: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * Why a controller could not be asked, and what to do where its certificate is the reason. `ca` is the file that was
 * given. Pure.
 */
export function unreachableReason(
  error: unknown,
  { host, ca }: { readonly host: string; readonly ca: string | undefined },
): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (untrusted.includes(code))
    return ca === undefined
      ? "its certificate is of an authority that this machine does not trust; give the controller's with --ca FILE (data/tls/ca.pem of the controller)"
      : `its certificate is not of the authority in ${ca}; take data/tls/ca.pem of this controller`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate does not have the name ${host}; use one that it has, or start the controller with VANTAGE_TLS_NAMES=${host}`;
  return messageOf(error);
}
