import type { Method } from './method.ts';

/** The Method that the scheme of an address suggests, in lower case. */
export const methodsByScheme: Readonly<Record<string, Method>> = {
  http: 'HTTP',
  https: 'HTTP',
  ping: 'PING',
  icmp: 'PING',
  smtp: 'SMTP',
  smtps: 'SMTP',
  pop3: 'POP3',
  pop3s: 'POP3',
  imap: 'IMAP4',
  imaps: 'IMAP4',
  mysql: 'MySQL',
  ftp: 'FTP',
  ftps: 'FTP',
  telnet: 'TELNET',
  ssh: 'SSH',
  nntp: 'NNTP',
  nntps: 'NNTP',
  tcp: 'TCP',
  dns: 'DNS',
  snmp: 'SNMP',
  push: 'Push',
};

/** The Method that the port of an address suggests; TCP fits every other one. */
export const methodsByPort: Readonly<Record<number, Method>> = {
  21: 'FTP',
  22: 'SSH',
  23: 'TELNET',
  25: 'SMTP',
  80: 'HTTP',
  110: 'POP3',
  119: 'NNTP',
  143: 'IMAP4',
  161: 'SNMP',
  443: 'HTTP',
  465: 'SMTP',
  563: 'NNTP',
  587: 'SMTP',
  993: 'IMAP4',
  995: 'POP3',
  3306: 'MySQL',
  8080: 'HTTP',
  8443: 'HTTP',
};
