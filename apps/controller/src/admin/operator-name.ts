import { userInfo } from 'node:os';

/** Names of users as hosts have them; anything else is not put into the audit. */
const userName = /^[\w.@+-]{1,64}$/;

/**
 * How the audit names who runs a command on this host: `command line (alice)`, and `command line (alice as root)` where
 * sudo says who became root.
 */
export function operatorName(user: string, sudoUser: string | undefined): string {
  const who = userName.test(user) ? user : 'unknown user';
  const before = user === 'root' && sudoUser !== undefined && userName.test(sudoUser) ? sudoUser : who;
  return `command line (${before === who ? who : `${before} as ${who}`})`;
}

/** The name of who runs this process; a user without a name (in a container) has its number. */
export function thisOperator(env: NodeJS.ProcessEnv): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    user = `uid-${process.getuid?.() ?? 'unknown'}`;
  }
  return operatorName(user, env['SUDO_USER']);
}
