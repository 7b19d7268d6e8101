// Creates release keys and signs parcels, on a machine other than the controller's: `release.ts create FILE` and
// `release.ts sign KEY PARCEL…`. Prints JSON.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { createReleaseKey, readPrivateKey } from './release-key.ts';
import { root } from './root.ts';
import { signParcel } from './sign-parcel.ts';

const [command = '', file = '', ...parcelFiles] = process.argv.slice(2);
try {
  console.log(JSON.stringify(command === 'create' ? createReleaseKey(file) : await sign()));
} catch (error) {
  console.log(JSON.stringify({ error: messageOf(error) }));
  process.exitCode = 1;
}

/** Signs the parcels, or without arguments all that `npm run parcel` built. */
async function sign() {
  const key = readPrivateKey(file);
  const parcels = parcelFiles.length > 0 ? parcelFiles : builtParcels();
  if (parcels.length === 0) throw new Error('there is no parcel yet: "npm run parcel" builds them');
  const signed = [];
  for (const parcel of parcels) {
    const { version, arch, sha256 } = await signParcel(parcel, key).catch((cause: unknown) => {
      throw new Error(`${parcel} cannot be signed: ${messageOf(cause)}`, { cause });
    });
    signed.push({ parcel, version, arch, sha256 });
  }
  return signed;
}

function builtParcels(): string[] {
  const folder = path.join(root, 'agent-installer/dist');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tar.gz'))
    .map((name) => path.join(folder, name));
}
