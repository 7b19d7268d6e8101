/** The networks from which a host can be reached. */
export type HostReach =
  /** Only the controller's own machine. */
  | 'own'
  /** A name without a domain, or of the local network: other networks cannot resolve it. */
  | 'name'
  /** An address of a private network: only hosts of that network reach it. */
  | 'private'
  | 'public';

/** The host of an address; an IPv6 address without its brackets. Undefined: it is no address. Pure. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.replaceAll(/^\[|\]$/g, '') : undefined;
}

const localDomains = /\.(local|lan|localdomain|home|internal|intranet|home\.arpa)$/;
const privateIPv4 = /^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** The reach of a host, as far as its name says. Pure. */
export function reachOf(host: string): HostReach {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (/^(localhost|127\.[\d.]+|0\.0\.0\.0|::1|::)$/.test(name) || name.endsWith('.localhost')) return 'own';
  if (name.includes(':')) return /^f(c|d|e[89ab])/.test(name) ? 'private' : 'public';
  if (/^[\d.]+$/.test(name)) return privateIPv4.test(name) ? 'private' : 'public';
  return !name.includes('.') || localDomains.test(name) ? 'name' : 'public';
}

/**
 * The address that is suggested for an invitation: the host by which the person reaches the page, with the agents'
 * port. Undefined: the invitation has that host, or other hosts know it no better. Pure.
 */
export function suggestedEndpoint(endpoint: string, pageHost: string): string | undefined {
  const host = hostOf(endpoint);
  const own = pageHost.replaceAll(/^\[|\]$/g, '');
  const ranks: readonly HostReach[] = ['own', 'name', 'private', 'public'];
  if (host === undefined || host === own) return undefined;
  if (ranks.indexOf(reachOf(own)) <= ranks.indexOf(reachOf(host))) return undefined;
  const { port } = new URL(endpoint);
  return `https://${own.includes(':') ? `[${own}]` : own}:${port || '443'}`;
}

/** A typed address with the scheme and the agents' port of `like`; undefined: it is no address. Pure. */
export function typedEndpoint(text: string, like: string): string | undefined {
  const trimmed = text.trim().replace(/\/+$/, '');
  const full = /^https:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (trimmed === '' || /^https:$/i.test(trimmed) || !URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
  const hasPort = /:\d+$/.test(full);
  const port = URL.canParse(like) ? new URL(like).port || '443' : '8444';
  return `https://${url.hostname}:${hasPort ? url.port || '443' : port}`;
}
