import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseJson } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { tagPath } from '../values/tag-path.ts';
import { listOf, recordOf, textOf } from '../values/unknown-values.ts';
import { kumaAccepts, kumaIgnored } from './kuma-formats.ts';
import { type KumaFile, monitorOf, proxiesOf } from './kuma-monitor.ts';

/** Reads a backup of Uptime Kuma 1.x (JSON). */
export function readKumaBackup(file: string, input: InputFiles = diskFiles): KumaFile {
  const backup = recordOf(parseJson(input.readText(file), file, kumaAccepts));
  const entries = backup?.['monitorList'];
  if (!Array.isArray(entries)) throw unreadable(`${file} has no monitorList; accepted is ${kumaAccepts}`);
  if (entries.length > maxItems) throw unreadable(`${file} has more than ${maxItems} monitors`);
  const proxies = proxiesOf(listOf(backup?.['proxyList']));
  const notifications = listOf(backup?.['notificationList']).length;
  return {
    monitors: entries.map((entry: unknown, index) => {
      const tags = listOf(recordOf(entry)?.['tags']).map((tag) =>
        tagPath(textOf(recordOf(tag)?.['name']), textOf(recordOf(tag)?.['value'])),
      );
      const monitor = monitorOf(entry, { tags, proxies });
      if (monitor === undefined)
        throw unreadable(`${file}: monitorList[${index}] has no id or no type; accepted is ${kumaAccepts}`);
      return monitor;
    }),
    ignored: kumaIgnored((table) => (table === 'notification' ? notifications : 0)),
  };
}
