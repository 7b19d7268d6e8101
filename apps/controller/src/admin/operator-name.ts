import { userInfo } from 'node:os';

/** Common names of users; the audit contains no others. */
const userName = /^[\w.@+-]{1,64}$/;

/** The operator's name in the audit: `command line (alice)`, or with sudo `command line (alice as root)`. */
export function operatorName(user: string, sudoUser: string | undefined): string {
  const who = userName.test(user) ? user : 'unknown user';
  const before = user === 'root' && sudoUser !== undefined && userName.test(sudoUser) ? sudoUser : who;
  return `command line (${before === who ? who : `${before} as ${who}`})`;
}

/** The name of the user that runs this process; a user without a name (in a container) is shown by number. */
export function thisOperator(env: NodeJS.ProcessEnv): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    user = `uid-${process.getuid?.() ?? 'unknown'}`;
  }
  return operatorName(user, env['SUDO_USER']);
}
