/** The kernel's user without rights. Every user namespace of a container has it. */
const nobody = 65_534;

/**
 * Gives up root permanently: no groups, this user and group, no capabilities. If the user does not exist (a small user
 * namespace), it becomes `nobody`. If users cannot be changed (a container without CAP_SETUID), nothing changes.
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
      // Without a user to change to, the other limits of the sandbox remain.
    }
  }
}
