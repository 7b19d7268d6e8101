import type { Credentials } from './provision.ts';

/** What a newcomer is told when all answers. */
export function greeting(
  ready: { readonly base_url: string; readonly ca_file: string },
  credentials: Pick<Credentials, 'api_key_uw' | 'api_key_ur'>,
  dataDir: string,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return `
Vantage is up.

  API          ${ready.base_url}
  Key (UW)     ${credentials.api_key_uw}   views and modifies
  Key (UR)     ${credentials.api_key_ur}   views
  Data, logs   ${dataDir}

Say hello:

  curl --cacert ${quoted(ready.ca_file)} -H 'Service-API-Key: ${credentials.api_key_uw}' ${ready.base_url}/hello

Ctrl-C ends everything. ./vantage --help shows the operator's commands and all settings.
`;
}
