/** The kernel's user that owns nothing. Namespaces of containers have it even where they have no other. */
const nobody = 65_534;

/**
 * Gives up root for good: no groups, this user and group, and with them all capabilities. Where the machine does not
 * know the user (a small user namespace), `nobody`; where it lets nobody change users (a container without CAP_SETUID),
 * nothing changes.
 */
export function dropPrivileges(userId: number): void {
  if (userId === 0 || process.getuid?.() !== 0) return;
  for (const id of [userId, nobody]) {
    try {
      process.setgroups?.([]);
      process.setgid?.(id);
      process.setuid?.(id);
      return;
    } catch {
      // Tries the next one. Without any, the sandbox's other limits remain.
    }
  }
}
