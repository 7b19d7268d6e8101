import type { Method } from '@vantage/domain';
import { type Exported, type ExportedDevice, nameOf } from './exported-device.ts';

/** Modules of the blackbox_exporter's own example that come nearest to a Method. */
const modules: Readonly<Partial<Record<Method, string>>> = {
  HTTP: 'http_2xx',
  PING: 'icmp',
  TCP: 'tcp_connect',
  SSH: 'ssh_banner',
  SMTP: 'tcp_connect',
  POP3: 'tcp_connect',
  IMAP4: 'tcp_connect',
  FTP: 'tcp_connect',
  TELNET: 'tcp_connect',
  NNTP: 'tcp_connect',
  MySQL: 'tcp_connect',
};

const ports: Readonly<Partial<Record<Method, number>>> = {
  SSH: 22,
  SMTP: 25,
  POP3: 110,
  IMAP4: 143,
  FTP: 21,
  TELNET: 23,
  NNTP: 119,
  MySQL: 3306,
};
/** Ports of the schemes under TLS. */
const tlsPorts: Readonly<Record<string, number>> = {
  smtps: 465,
  pop3s: 995,
  imaps: 993,
  ftps: 990,
  nntps: 563,
  telnets: 992,
};

/**
 * The devices as a file of file_sd for jobs that probe: the label `__param_module` names the module, the others tell
 * who it is.
 */
export function exportFileSd(devices: readonly ExportedDevice[]): Exported {
  const lost: Exported['lost'][number][] = [];
  const groups = devices.flatMap((device) => {
    const at = device.device_id;
    const name = nameOf(device);
    const module = modules[device.Method];
    const target = module === undefined ? undefined : targetOf(device);
    if (module === undefined || target === undefined) {
      lost.push({ at, name, text: `Method ${device.Method} has no module of the exporter's example` });
      return [];
    }
    if (!device.Enabled) {
      lost.push({ at, name, text: 'it is paused, and Prometheus has no pause' });
      return [];
    }
    if (Object.keys(device.Options).length > 0)
      lost.push({
        at,
        name,
        text: `its Options ${Object.keys(device.Options).join(', ')} (a module of its own could hold them)`,
      });
    const labels: Record<string, string> = {
      __param_module: module,
      name,
      short_name: device.ShortName,
      device_id: device.device_id,
    };
    if (device.Tags.length > 0) labels['tags'] = `,${device.Tags.map((tag) => tag.Name).join(',')},`;
    return [{ targets: [target], labels }];
  });
  return { text: `${JSON.stringify(groups, null, 2)}\n`, lost };
}

/** The address as the exporter takes it. A login is left out. */
function targetOf({ Method, URL }: ExportedDevice): string | undefined {
  if (Method === 'HTTP') return URL.replace(/^(https?:\/\/)[^@/?#]*@/i, '$1');
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(URL)?.[1]?.toLowerCase() ?? '';
  const rest = URL.replace(/^[a-z0-9+.-]+:\/\//i, '').replace(/[/?#].*$/s, '');
  const place = rest.slice(rest.lastIndexOf('@') + 1);
  if (Method === 'PING' || Method === 'TCP') return place;
  const port = tlsPorts[scheme] ?? ports[Method];
  return /:\d+$/.test(place) && !/^[0-9a-f:]+$/i.test(place) ? place : `${place}:${port}`;
}
