import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { addressesOf, agentAddresses } from '@vantage/domain';
import { Fault, parseJson, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';

type Settings = Readonly<Record<string, string>>;

const quickstart = z.object({ agent_endpoint: z.string() });
const everywhere = ['0.0.0.0', '::'];

/**
 * The URL at which an agent on this machine reaches the controller: from the quickstart.json of the running system,
 * else from the settings that are given, by name.
 */
export function defaultEndpoint(settings: Settings): string {
  const text = readIfPresentSync(path.join(dataDirOf(settings), 'quickstart.json'));
  const found = quickstart.safeParse(parseJson(text)).data;
  if (found !== undefined) return found.agent_endpoint;
  const listen = settings['VANTAGE_LISTEN'] ?? '::';
  const host = everywhere.includes(listen) ? 'localhost' : listen;
  const inUrl = isIP(host) === 6 ? `[${host}]` : host;
  return `https://${inUrl}:${settings['VANTAGE_AGENT_PORT'] ?? '8444'}`;
}

/**
 * The URLs of the agents' ports for invitations, with commas between them: VANTAGE_AGENT_URL, else a name by which
 * other machines may know this one.
 */
export function publicEndpoint(settings: Settings): string {
  const names = settings['VANTAGE_TLS_NAMES']?.split(',') ?? [];
  return agentAddresses(
    {
      agentUrls: addressesOf(settings['VANTAGE_AGENT_URL'] ?? ''),
      publicUrl: settings['VANTAGE_PUBLIC_URL'],
      listen: settings['VANTAGE_LISTEN'],
      tlsNames: names.map((name) => name.trim()).filter((name) => name !== ''),
    },
    { port: Number(new URL(defaultEndpoint(settings)).port || 443), hostName: hostname() },
  ).join(',');
}

/**
 * Throws a Fault when the controller of this data folder has a certificate that lacks the host of an endpoint (a list
 * with commas): no agent could verify it there. Does nothing where the folder holds no certificate, because the
 * controller runs elsewhere then.
 */
export function checkEndpoint(endpoint: string, settings: Settings): void {
  const text = ownCertificate(settings);
  if (text === undefined) return;
  const certificate = new X509Certificate(text);
  const hosts = addressesOf(endpoint).map((one) => new URL(one).hostname.replace(/^\[|\]$/g, ''));
  const isNamed = (host: string) =>
    isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  const host = hosts.find((one) => isNamed(one) === undefined);
  if (host === undefined) return;
  const names = [settings['VANTAGE_TLS_NAMES'], host].filter((name) => name !== undefined).join(',');
  throw new Fault(
    'stop',
    'endpoint_unnamed',
    `the controller's certificate does not have the name ${host}, so no agent could trust it there: start the controller with VANTAGE_TLS_NAMES=${names} and invite again`,
  );
}

/** The certificate (PEM) of the controller of this data folder; undefined: the controller runs elsewhere. */
export function ownCertificate(settings: Settings): string | undefined {
  return readIfPresentSync(path.join(dataDirOf(settings), 'tls', 'server.pem'));
}

/**
 * Whether a setting names the address of the agents' port; else it is this machine's own name, which other hosts may
 * not know.
 */
export function isAddressSet(settings: Settings): boolean {
  const names = ['VANTAGE_AGENT_URL', 'VANTAGE_PUBLIC_URL', 'VANTAGE_TLS_NAMES'];
  return (
    names.some((name) => (settings[name] ?? '') !== '') ||
    !everywhere.includes(settings['VANTAGE_LISTEN'] ?? '::')
  );
}

function dataDirOf(settings: Settings): string {
  return path.resolve(settings['VANTAGE_DATA'] ?? 'data');
}
