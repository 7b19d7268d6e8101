import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { addressesOf, agentAddresses } from '@vantage/domain';
import { Fault, parseJson, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';

type SettingValues = Readonly<Record<string, string>>;

const quickstart = z.object({ agent_endpoint: z.string() });
const anyAddress = ['0.0.0.0', '::'];

/**
 * The URL at which an agent on this machine reaches the controller: from quickstart.json of the running system, else
 * from the settings.
 */
export function defaultEndpoint(settings: SettingValues): string {
  const text = readIfPresentSync(path.join(dataDirOf(settings), 'quickstart.json'));
  const found = quickstart.safeParse(parseJson(text)).data;
  if (found !== undefined) return found.agent_endpoint;
  const listen = settings['VANTAGE_LISTEN'] ?? '::';
  const host = anyAddress.includes(listen) ? 'localhost' : listen;
  const urlHost = isIP(host) === 6 ? `[${host}]` : host;
  return `https://${urlHost}:${settings['VANTAGE_AGENT_PORT'] ?? '8444'}`;
}

/**
 * The comma-separated URLs of the agents' ports for invitations: VANTAGE_AGENT_URL, else a name by which other machines
 * may know this machine.
 */
export function publicEndpoint(settings: SettingValues): string {
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
 * Throws a Fault where the certificate of this data folder lacks a host of `endpoint` (a comma-separated list), because
 * agents could not verify it. Does nothing where the folder has no certificate: the controller runs elsewhere.
 */
export function checkEndpoint(endpoint: string, settings: SettingValues): void {
  const text = ownCertificate(settings);
  if (text === undefined) return;
  const certificate = new X509Certificate(text);
  const hosts = addressesOf(endpoint).map((address) => new URL(address).hostname.replace(/^\[|\]$/g, ''));
  const isNamed = (host: string) =>
    isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  const host = hosts.find((candidate) => isNamed(candidate) === undefined);
  if (host === undefined) return;
  const names = [settings['VANTAGE_TLS_NAMES'], host].filter((name) => name !== undefined).join(',');
  throw new Fault(
    'stop',
    'endpoint_unnamed',
    `the controller's certificate does not have the name ${host}, so no agent could trust it there: start the controller with VANTAGE_TLS_NAMES=${names} and invite again`,
  );
}

/** The controller's certificate (PEM) in the data folder; undefined: the controller runs elsewhere. */
export function ownCertificate(settings: SettingValues): string | undefined {
  return readIfPresentSync(path.join(dataDirOf(settings), 'tls', 'server.pem'));
}

/**
 * Whether a setting names the address of the agents' port. Other hosts may not know the default, this machine's name.
 */
export function isAddressSet(settings: SettingValues): boolean {
  const names = ['VANTAGE_AGENT_URL', 'VANTAGE_PUBLIC_URL', 'VANTAGE_TLS_NAMES'];
  return (
    names.some((name) => (settings[name] ?? '') !== '') ||
    !anyAddress.includes(settings['VANTAGE_LISTEN'] ?? '::')
  );
}

function dataDirOf(settings: SettingValues): string {
  return path.resolve(settings['VANTAGE_DATA'] ?? 'data');
}
