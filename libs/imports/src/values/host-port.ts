/** A host as a URL has it: an IPv6 address in brackets. */
export function hostText(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** `host:port`, or the host where there is no port. */
export function hostPort(host: string, port: number | undefined): string {
  return port === undefined ? hostText(host) : `${hostText(host)}:${port}`;
}

/** Removes the scheme: `redis://host:6379/0` → `host:6379/0`. */
export function withoutScheme(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
}

/** The part of an address between scheme and path: `user@host:port`. */
export function authorityOf(address: string): string {
  return withoutScheme(address).replace(/[/?#].*$/s, '');
}
