// One upgrade of an agent on its disk, from the download to the confirmation, which kills itself (SIGKILL) at the n-th
// operation on files. Arguments: the folder that `kill-upgrade.test.ts` made, and n; without it the upgrade goes to its
// end. Prints how many operations there were.
import fs, { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import process from 'node:process';

const [folder = '', deadly = '0'] = process.argv.slice(2);
let operations = 0;
for (const name of ['open', 'rename', 'rm', 'mkdir', 'readdir', 'statfs'] as const) {
  const original = Reflect.get(fs, name);
  Reflect.set(fs, name, (...args: unknown[]) => {
    operations += 1;
    if (operations === Number(deadly)) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(original, fs, args);
  });
}
syncBuiltinESMExports();

const { fetchVersion } = await import('../../apps/agent/src/upgrade/fetch-version.ts');
const { planLaunch } = await import('../../apps/agent/src/upgrade/launch-plan.ts');
const { openVersionsFolder } = await import('../../apps/agent/src/upgrade/versions-folder.ts');

const [home, dataDir, releaseKeyFile] = [
  path.join(folder, 'home'),
  path.join(folder, 'data'),
  path.join(folder, 'release.pub'),
];
const versions = openVersionsFolder(dataDir);
const fetched = await fetchVersion({
  version: '1.1.0',
  arch: 'amd64',
  releaseKeyFile,
  versions,
  async download({ path: url, onBytes }) {
    await onBytes(await readFile(path.join(folder, url.endsWith('.sig') ? 'parcel.sig' : 'parcel')));
    return { kind: 'done' };
  },
});
if (fetched.kind !== 'there') throw new Error(fetched.text);
const chosen = { upgradeId: 'u', version: '1.1.0', previous: '1.0.0', installed: '1.0.0' };
await versions.keepTrial({ ...chosen, starts: 0 });
await planLaunch({ home, dataDir, releaseKeyFile, outcome: { kind: 'ended', status: 75 } });
await versions.confirm();
await versions.keepOnly(['1.1.0', '1.0.0']);
console.log(operations);
