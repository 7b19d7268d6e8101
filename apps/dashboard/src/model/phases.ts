/** The phases of a check in chronological order: the name on the page and the field of the API. */
export const phases = [
  ['dns', 'DNSTime'],
  ['connect', 'ConnectTime'],
  ['tls', 'SSLTime'],
  ['first', 'TTFB'],
  ['transfer', 'TTLB'],
] as const;
