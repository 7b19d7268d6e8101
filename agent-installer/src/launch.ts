// Starts the agent on a host without an init system: as its own user, with only the right to ping, in a new session and
// without the caller's file descriptors. Arguments: the command, the user, the pid file and the log.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync, writeFileSync } from 'node:fs';

const [command = '', user = '', pidFile = '', log = ''] = process.argv.slice(2);

const rights = ['--inh-caps', '--ambient-caps', '--bounding-set'].map((set) => `${set}=-all,+net_raw`);
const become = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs', ...rights];
const canGrantRights = spawnSync('setpriv', [...become, 'true'], { stdio: 'ignore' }).status === 0;
if (!canGrantRights)
  console.log(
    'setpriv of util-linux is missing, or it may not grant CAP_NET_RAW: checks by PING work only where net.ipv4.ping_group_range allows them.',
  );

const supervise = [command, 'supervise'];
const [program = '', ...args] = canGrantRights ? ['setpriv', ...become, ...supervise] : supervise;
const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
// The agent's user owns both files, because `supervise` limits the log and may not create files in its folder.
closeSync(openLog(`${log}.1`));
const output = openLog(log);
const child = spawn(program, args, {
  ...(canGrantRights ? {} : { uid: idOf('-u'), gid: idOf('-g') }),
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

function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const opened = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o640);
  fchownSync(opened, idOf('-u'), idOf('-g'));
  return opened;
}
