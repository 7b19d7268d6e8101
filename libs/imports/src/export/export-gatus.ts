import { stringify } from 'yaml';
import type { ImportNote } from '../found-check.ts';
import { jsonObject } from '../values/unknown-values.ts';
import { type ExportedDevice, type ForeignFile, nameOf } from './exported-device.ts';
import { gatusEndpoint } from './gatus-endpoint.ts';

/** Writes a configuration of Gatus. */
export function exportGatus(devices: readonly ExportedDevice[]): ForeignFile {
  const lost: ImportNote[] = [];
  const taken = new Set<string>();
  const endpoints = devices.flatMap((device) => {
    const note = (text: string) => lost.push({ at: device.device_id, name: nameOf(device), text });
    const endpoint = gatusEndpoint(device);
    if (endpoint === undefined) {
      note(`Method ${device.Method} has no protocol in Gatus`);
      return [];
    }
    const [group, ...otherTags] = device.Tags.map(({ Name }) => Name);
    const lostOptions = Object.keys(device.Options).filter((name) => !endpoint.usedOptions.includes(name));
    if (lostOptions.length > 0) note(`its Options ${lostOptions.join(', ')}`);
    if (otherTags.length > 0) note(`its tags ${otherTags.join(', ')} (Gatus has one group)`);
    if (device.device_master_id !== null) note('its master');
    let name = nameOf(device);
    // Group and name identify an endpoint.
    for (let count = 2; taken.has(`${group} ${name}`); count += 1) name = `${nameOf(device)} (${count})`;
    taken.add(`${group} ${name}`);
    return [
      {
        name,
        ...(group !== undefined && { group }),
        ...(!device.Enabled && { enabled: false }),
        url: endpoint.url,
        interval: device.FrequencySeconds === null ? `${device.Frequency}m` : `${device.FrequencySeconds}s`,
        ...endpoint.otherFields,
        client: { timeout: `${device.Timeout}s`, ...jsonObject(endpoint.otherFields?.['client']) },
        conditions: endpoint.conditions,
      },
    ];
  });
  return { text: stringify({ endpoints }, { lineWidth: 0, aliasDuplicateObjects: false }), lost };
}
