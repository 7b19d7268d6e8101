/** User and password of HTTP Basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** Reads an Authorization header; undefined when it is no Basic one. */
export function parseBasic(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
