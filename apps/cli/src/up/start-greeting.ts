import path from 'node:path';
import { credentialsFile, type Provision } from './provision-system.ts';
import { dashboardUrl } from './quickstart.ts';

/**
 * The text for the operator once everything answers. It shows new keys. Later starts name only the file with the keys,
 * because other people may read the journal of a service.
 */
export function greeting(
  ready: { readonly base_url: string; readonly ca_file: string; readonly fingerprint?: string | undefined },
  credentials: Pick<Provision, 'api_key_ua' | 'api_key_uw' | 'api_key_ur' | 'isFresh'>,
  dataDir: string,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const { api_key_ua: adminKey } = credentials;
  const admin =
    adminKey === undefined ? '' : `Key (UA)     ${adminKey}   also invites people and makes keys\n  `;
  const keys = credentials.isFresh
    ? `${admin}Key (UW)     ${credentials.api_key_uw}   views and modifies
  Key (UR)     ${credentials.api_key_ur}   views`
    : `Keys         in ${path.join(dataDir, credentialsFile)} (shown on the first start only)`;
  const key = credentials.isFresh ? credentials.api_key_uw : '<key>';
  const warning =
    ready.fingerprint === undefined
      ? ''
      : `
Your browser will warn about the certificate, because Vantage made it itself. It is the right one if its SHA-256 is
  ${ready.fingerprint}
`;
  return `
Vantage is up: ${dashboardUrl(ready.base_url)}
${warning}
  API          ${ready.base_url}
  ${keys}
  Data, logs   ${dataDir}

Say hello:

  curl --cacert ${quoted(ready.ca_file)} -H 'Service-API-Key: ${key}' ${ready.base_url}/hello

Ctrl-C ends everything. ./vantage --help shows the operator's commands, ./vantage help settings the settings.
`;
}
