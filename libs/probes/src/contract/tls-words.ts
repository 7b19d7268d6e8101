/** The texts of alerts (RFC 8446 section 6), with the setting to change. `name` is the requested server. */
const alerts: Readonly<Record<number, (name: string) => string>> = {
  40: () => 'it refuses what this agent offers, or wants a client certificate (alert 40, handshake failure)',
  42: () => 'it does not accept the client certificate (alert 42, bad certificate)',
  43: () => 'it does not accept this kind of client certificate (alert 43)',
  44: () => 'it says that the client certificate is revoked (alert 44)',
  45: () => 'it says that the client certificate has expired (alert 45)',
  46: () => 'it does not accept the client certificate (alert 46)',
  48: () => 'it does not know the authority of the client certificate (alert 48)',
  49: () => 'it refuses this client (alert 49, access denied)',
  70: () => 'it has no TLS version in common with this agent, which speaks 1.2 and 1.3 (alert 70)',
  71: () => 'it wants stronger ciphers (alert 71, insufficient security)',
  80: () => 'it has an internal error (alert 80)',
  112: (name) => `it knows no server named ${name} (alert 112): set ServerName`,
  116: () => 'it wants a client certificate: set ClientCert and ClientKey (alert 116)',
  120: () => 'it speaks no protocol that this agent offers (alert 120, ALPN)',
};

/** OpenSSL's errors about the server. */
const findings: Readonly<Record<string, string>> = {
  UNSUPPORTED_PROTOCOL: 'it speaks only a TLS version before 1.2',
  UNEXPECTED_MESSAGE: 'it breaks the rules of TLS (unexpected message)',
  DH_KEY_TOO_SMALL: 'its Diffie-Hellman key is too short to be safe',
  EE_KEY_TOO_SMALL: "its certificate's key is too short to be safe",
  CA_MD_TOO_WEAK: 'its certificate is signed by a method that is no longer safe',
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED: 'it knows no safe renegotiation (RFC 5746)',
  TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'it wants a client certificate: set ClientCert and ClientKey (alert 116)',
};

/** The reason for a failed TLS handshake, as text. */
export function tlsWords(
  { code, message }: { readonly code: string; readonly message: string },
  name = 'this name',
): string {
  const number = Number(/alert number (\d+)/.exec(message)?.[1]);
  const alert = alerts[number];
  if (alert) return alert(name);
  const reason = code.replace(/^ERR_(SSL_)?/, '');
  const known = findings[reason];
  if (known !== undefined) return known;
  const shown = code === '' ? message : reason.replaceAll('_', ' ').toLowerCase();
  return Number.isNaN(number) ? shown : `${shown} (alert ${number})`;
}
