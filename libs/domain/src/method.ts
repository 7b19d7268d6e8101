/** The Methods, as the REST API spells them. Each has an arm in the wire's oneof `CheckSpec.options`. */
export const methods = [
  'HTTP',
  'PING',
  'SMTP',
  'POP3',
  'MySQL',
  'IMAP4',
  'FTP',
  'TELNET',
  'SSH',
  'NNTP',
  'TCP',
  'DNS',
  'Script',
  'SNMP',
  'UDP',
  'NTP',
  'LDAP',
  'RADIUS',
  'SIP',
  'Domain',
  'Push',
  'Redis',
  'PostgreSQL',
  'MQTT',
  'WebSocket',
  'gRPC',
] as const;

export type Method = (typeof methods)[number];

/** Whether controllers receive the calls of this Method. Agents run the checks of all others. */
export function isReceived(method: string): boolean {
  return method === 'Push';
}
