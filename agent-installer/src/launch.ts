// Starts the agent on a host without an init system: as its own user, with the right to ping and no other, in a session
// of its own and without the descriptors of the caller. Arguments: the command, the user, the file for the process's
// number and the log.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync, writeFileSync } from 'node:fs';

const [command = '', user = '', pidFile = '', log = ''] = process.argv.slice(2);

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
// The agent's user owns both: `supervise` bounds the log, and may write nothing else in the folder of logs.
closeSync(openLog(`${log}.1`));
const output = openLog(log);
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

function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const opened = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o640);
  fchownSync(opened, idOf('-u'), idOf('-g'));
  return opened;
}
