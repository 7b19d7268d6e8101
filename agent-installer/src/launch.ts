// Starts the agent on a host without an init system: as its own user, with the right to ping and no other, in a session of its own and
// without the descriptors of the caller. Arguments: the command, the user, the file for the process's number and the log.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { constants, openSync, renameSync, statSync, writeFileSync } from 'node:fs';

const [command = '', user = '', pidFile = '', log = ''] = process.argv.slice(2);
/** A longer log is renamed at a start, bytes. */
const logLimit = 16 * 1024 * 1024;

const rights = ['--inh-caps', '--ambient-caps', '--bounding-set'].map((set) => `${set}=-all,+net_raw`);
const become = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs', ...rights];
const mayGiveRights = spawnSync('setpriv', [...become, 'true'], { stdio: 'ignore' }).status === 0;
if (!mayGiveRights)
  console.log(
    'There is no setpriv of util-linux here, or it may not give CAP_NET_RAW: checks by PING work only where net.ipv4.ping_group_range allows them.',
  );

const supervise = [command, 'supervise'];
const [program = '', ...args] = mayGiveRights ? ['setpriv', ...become, ...supervise] : supervise;
const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
const output = openLog();
const child = spawn(program, args, {
  ...(mayGiveRights ? {} : { uid: idOf('-u'), gid: idOf('-g') }),
  cwd: '/',
  env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  stdio: ['ignore', output, output],
  detached: true,
});
child.once('error', (error) => {
  console.error(`vantage-agent: the agent cannot be started: ${error.message}`);
  process.exitCode = 1;
});
child.once('spawn', () => {
  writeFileSync(pidFile, `${child.pid}\n`, { mode: 0o644 });
  child.unref();
});

function openLog(): number {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logLimit) renameSync(log, `${log}.1`);
  return openSync(
    log,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o640,
  );
}
