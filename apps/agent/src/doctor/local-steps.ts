import type { Stats } from 'node:fs';
import { type DiskSpace, judgeRoom, roomNeeds, roomProblem } from '@vantage/kernel';
import type { Finding } from './finding.ts';
import type { StatusAnswer } from './status-socket.ts';

/** Whether the agent runs and has its stream. */
export function streamFinding(answer: StatusAnswer): Finding {
  const step = 'stream';
  switch (answer.kind) {
    case 'not-running':
      return {
        level: 'fault',
        step,
        text: 'the agent does not run',
        remedy:
          '`vantage-agent start` starts it; its log names why it ended (journalctl -u vantage-agent, /var/log/vantage-agent.log).',
      };
    case 'unreadable':
      return {
        level: 'fault',
        step,
        text: `the agent's status cannot be read: ${answer.text}`,
        remedy: 'Run this command as root.',
      };
    case 'status': {
      const { connection, lastDisconnect } = answer.status;
      if (connection !== null)
        return {
          level: 'ok',
          step,
          text: `connected to ${connection.endpoint}, Location ${connection.location}`,
        };
      return {
        level: 'fault',
        step,
        text: lastDisconnect?.text ?? 'not connected yet',
        remedy: 'The agent tries again by itself. Where the token or the agent is refused: invite it again.',
      };
    }
  }
}

/**
 * Whether the policy file is there, and nobody but root may write it. `file` undefined: none is set, or it is missing.
 */
export function policyFinding(
  problems: readonly string[],
  file: { readonly path: string; readonly stat: Pick<Stats, 'uid' | 'mode'> } | undefined,
): Finding {
  const step = 'policy';
  if (problems.length > 0)
    return {
      level: 'fault',
      step,
      text: problems.join('; '),
      remedy: 'Mend the file; the agent does not start before.',
    };
  if (file === undefined)
    return {
      level: 'warning',
      step,
      text: 'there is no policy file: everything but cloud metadata is allowed',
      remedy: 'Name a file in VANTAGE_AGENT_POLICY_FILE.',
    };
  if (file.stat.uid !== 0 || (file.stat.mode & 0o022) !== 0)
    return {
      level: 'warning',
      step,
      text: `others than root may change ${file.path}`,
      remedy: `chown root ${file.path}; chmod 644 ${file.path}`,
    };
  return { level: 'ok', step, text: `${file.path} is valid, and only root may change it` };
}

/**
 * Whether the disk of the agent's data has room. `refusal`: why the folder cannot be written, such as EROFS; undefined:
 * it can.
 */
export function diskFinding(disk: {
  readonly folder: string;
  readonly space: DiskSpace | undefined;
  readonly refusal: string | undefined;
}): Finding {
  const { folder, space, refusal } = disk;
  const step = 'disk';
  if (refusal !== undefined)
    return {
      level: 'fault',
      step,
      text: `${folder} cannot be written: ${refusal}`,
      remedy: 'Mend or remount the disk. The agent goes on; what it cannot deliver before its end is lost.',
    };
  if (space === undefined) return { level: 'ok', step, text: `the room of ${folder} cannot be found out` };
  const room = judgeRoom('enough', space, roomNeeds.agent);
  const problem = roomProblem(folder, room, space);
  const free = `${Math.floor(space.freeBytes / (1024 * 1024))} MiB are free`;
  if (problem === undefined) return { level: 'ok', step, text: `${free} in ${folder}` };
  return {
    level: room === 'full' ? 'fault' : 'warning',
    step,
    text: problem,
    remedy:
      'Make room. An agent without room keeps results in memory, and reports those that it loses as a data gap.',
  };
}

/** Whether the running agent may ping. */
export function pingFinding(answer: StatusAnswer): Finding {
  const step = 'right to ping';
  if (answer.kind !== 'status') return { level: 'ok', step, text: 'only the running agent knows' };
  const { pingFault } = answer.status;
  if (pingFault === null) return { level: 'ok', step, text: 'the agent may ping' };
  return {
    level: 'warning',
    step,
    text: pingFault,
    remedy:
      'Only checks by PING need it. Reinstall where systemd or setpriv is, or widen net.ipv4.ping_group_range.',
  };
}
