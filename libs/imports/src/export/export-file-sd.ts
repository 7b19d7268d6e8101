import { type Method, probeTarget } from '@vantage/domain';
import type { ImportNote } from '../found-check.ts';
import { type ExportedDevice, type ForeignFile, nameOf } from './exported-device.ts';

/** The closest module of the blackbox_exporter's own example for each Method. */
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
  Redis: 'tcp_connect',
  PostgreSQL: 'tcp_connect',
  MQTT: 'tcp_connect',
};

/** Writes a file of file_sd. The label `__param_module` names the module; the other labels identify the device. */
export function exportFileSd(devices: readonly ExportedDevice[]): ForeignFile {
  const lost: ImportNote[] = [];
  const groups = devices.flatMap((device) => {
    const at = device.device_id;
    const name = nameOf(device);
    const module = modules[device.Method];
    const target = probeTarget(device.Method, device.URL);
    if (module === undefined) {
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
        text: `its Options ${Object.keys(device.Options).join(', ')} (a module for this device could have them)`,
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
