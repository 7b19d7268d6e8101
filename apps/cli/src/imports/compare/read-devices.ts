import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { mebibyte } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import type { DeviceStatus } from './old-status.ts';

/** A controller and a key that may view. */
export interface ControllerAccess {
  /** `https://host:port/v1.1`. */
  readonly server: string;
  readonly key: string;
  /** File of the CA; default: the authorities of the system. */
  readonly ca?: string | undefined;
}

const pageSize = 100;
const mostPages = 1000;
const patienceMs = 30_000;

const page = z.array(
  z.looseObject({
    device_id: z.string(),
    ShortName: z.string(),
    FullName: z.string().nullable(),
    ExternalKey: z.string().nullable(),
    URL: z.string(),
    Status: z.enum(['Up', 'Down', 'Maint', 'Unknown']),
    Enabled: z.boolean(),
    StatusSince: z.string(),
    LastCheckResult: z.string().nullable(),
  }),
);

/** All devices with their status: `GET /devices`, because `/states` has neither the ExternalKey nor the last result. */
export async function readDevices(access: ControllerAccess): Promise<readonly DeviceStatus[]> {
  const ca = access.ca === undefined ? undefined : readCa(access.ca);
  const devices: DeviceStatus[] = [];
  for (let pages = 0, after = ''; pages < mostPages; pages += 1) {
    const query = `Limit=${pageSize}${after === '' ? '' : `&After=${after}`}`;
    const rows = page.parse(
      JSON.parse(await get(`${access.server.replace(/\/+$/, '')}/devices?${query}`, access.key, ca)),
    );
    devices.push(...rows);
    if (rows.length < pageSize) break;
    after = rows.at(-1)?.device_id ?? '';
  }
  return devices;
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(error)}`);
  }
}

function get(url: string, key: string, ca: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string) => reject(new Fault('stop', 'unreachable', `${url}: ${why}`));
    const options = {
      headers: { 'Service-API-Key': key },
      timeout: patienceMs,
      ...(ca !== undefined && { ca }),
    };
    const asked = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > 16 * mebibyte) asked.destroy(new Error('the answer is longer than 16 MiB'));
      });
      answer.on('error', (error) => refuse(messageOf(error)));
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(text)
          : refuse(`HTTP ${answer.statusCode}: ${text.slice(0, 300)}`),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer in ${patienceMs / 1000} seconds`)));
    asked.on('error', (error) => refuse(messageOf(error)));
    asked.end();
  });
}
