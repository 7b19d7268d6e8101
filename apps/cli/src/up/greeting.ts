import path from 'node:path';
import { credentialsFile, type Provision } from './provision.ts';
import { dashboardUrl } from './quickstart.ts';

/**
 * The text that the operator sees when everything answers. It shows the keys when they were issued just now. Later
 * starts name the file that holds them, because others read the journal into which the output of a service goes.
 */
export function greeting(
  ready: { readonly base_url: string; readonly ca_file: string },
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
  return `
Vantage is up: ${dashboardUrl(ready.base_url)}

  API          ${ready.base_url}
  ${keys}
  Data, logs   ${dataDir}

Say hello:

  curl --cacert ${quoted(ready.ca_file)} -H 'Service-API-Key: ${key}' ${ready.base_url}/hello

Ctrl-C ends everything. ./vantage --help shows the operator's commands, ./vantage help settings the settings.
`;
}
