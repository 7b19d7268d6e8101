import type { Json } from '@vantage/domain';
import { orAbsent, recordOf, textOf, truthOf, type UnknownRecord } from '../values/unknown-values.ts';

/** Options.IPFamily: the exporter insists on a family only when there is no fallback. */
export function ipFamily(settings: UnknownRecord): string | undefined {
  if (truthOf(settings['ip_protocol_fallback']) !== false) return undefined;
  return textOf(settings['preferred_ip_protocol']) === 'ip4' ? '4' : '6';
}

/** Options.TLS from `tls_config`. Files are lost, because they are on the exporter's machine. */
export function tlsOptions(
  settings: UnknownRecord,
  lost: string[],
): Readonly<Record<string, Json>> | undefined {
  const config = recordOf(settings['tls_config']) ?? {};
  const tls: Record<string, Json> = {};
  if (truthOf(config['insecure_skip_verify'])) tls['Verify'] = false;
  for (const [name, option] of [
    ['server_name', 'ServerName'],
    ['ca', 'CA'],
    ['cert', 'ClientCert'],
    ['key', 'ClientKey'],
  ] as const) {
    const text = textOf(config[name]);
    if (text !== undefined) tls[option] = text;
  }
  for (const file of ['ca_file', 'cert_file', 'key_file'])
    if (config[file] !== undefined) lost.push(`tls_config.${file} (its text belongs into Options.TLS)`);
  return orAbsent(tls);
}
