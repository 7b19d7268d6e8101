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
  'Redis',
  'PostgreSQL',
  'MQTT',
  'WebSocket',
  'gRPC',
] as const;

export type Method = (typeof methods)[number];
