import type { Schemas } from '@vantage/client';
import { settingDefaults } from '@vantage/domain/setting-defaults';

type Device = Schemas['Device'];

/** The settings of a device in an apply file, with their defaults. A setting with its default is left out. */
const defaults: Readonly<Partial<Record<keyof Device, unknown>>> = {
  FullName: null,
  Frequency: 5,
  FrequencySeconds: null,
  ...settingDefaults,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: null,
  Locations: null,
  Tags: [],
  Options: {},
};

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The settings that a request or a file sets, by the API's names. */
export function deviceSettings(device: Device): Readonly<Record<string, unknown>> {
  const { Method, URL, ShortName } = device;
  const settings: Record<string, unknown> = { Method, URL, ShortName };
  for (const [name, byDefault] of Object.entries(defaults)) {
    const value = device[name as keyof Device];
    // The API shows Frequency 1 together with FrequencySeconds.
    const isShadowed = name === 'Frequency' && device.FrequencySeconds !== null;
    if (!isSame(value, byDefault) && !isShadowed)
      settings[name] = name === 'Tags' ? device.Tags.map((tag) => tag.Name) : value;
  }
  return settings;
}

/** A text as one word of a shell. */
const shellWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request that creates a device with the same settings, for a shell. `origin` is that of the controller. */
export function curlText(device: Device, origin: string): string {
  const body = JSON.stringify(deviceSettings(device), null, 2);
  return [
    `curl --request POST ${shellWord(`${origin}/v1.1/devices`)}`,
    `  --header "Service-API-Key: $VANTAGE_KEY"`,
    `  --header 'Content-Type: application/json'`,
    `  --data ${shellWord(body)}`,
  ].join(' \\\n');
}

const plain = /^[A-Za-z_][\w./@-]*(?: [\w./@-]+)*$/;
const reserved = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** A value in one line of YAML. A quoted text of JSON is one of YAML. */
function scalar(value: unknown): string {
  if (typeof value === 'string' && plain.test(value) && !reserved.test(value)) return value;
  return JSON.stringify(value) ?? 'null';
}

/** The lines of an object in YAML. */
function lines(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    if (Array.isArray(inner) && inner.every((item) => typeof item !== 'object'))
      return [`${scalar(name)}: [${inner.map((item) => JSON.stringify(item)).join(', ')}]`];
    if (Array.isArray(inner))
      return [
        `${scalar(name)}:`,
        ...inner.flatMap((item: Readonly<Record<string, unknown>>) => listItem(lines(item))),
      ];
    if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0)
      return [`${scalar(name)}:`, ...lines({ ...inner }).map((line) => `  ${line}`)];
    return [`${scalar(name)}: ${scalar(inner)}`];
  });
}

const listItem = (item: readonly string[]) =>
  item.map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`));

/** The device as a file of `vantage apply`. */
export function yamlText(device: Device): string {
  const entry = { Key: device.ExternalKey ?? device.ShortName, ...deviceSettings(device) };
  const file = ['devices:', ...listItem(lines(entry))];
  return `${(device.Source === null ? file : [`source: ${scalar(device.Source)}`, ...file]).join('\n')}\n`;
}
