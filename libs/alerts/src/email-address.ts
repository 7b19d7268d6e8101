const emailRule = 'must be one e-mail address in ASCII characters, for example noc@example.org';
/** An atom of RFC 5322 section 3.2.3. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailForm = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?=.{1,253}$)${label}(?:\\.${label})*$`);
/** RFC 5321 section 4.5.3.1.3: a path of 256 octets, two of which are its brackets. */
const maxEmailLength = 254;

/**
 * The fault of an e-mail address. Only a plain address is accepted (RFC 5321 section 4.1.2 with a Dot-string), so that
 * nothing else can enter the header of a message.
 */
export function emailFault(text: string): string | null {
  return text.length <= maxEmailLength && emailForm.test(text) ? null : emailRule;
}

/** Top-level names outside the public DNS (RFC 6761, RFC 6762, ICANN's `internal`), and others that networks use. */
const localNames = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'private', 'arpa'];

/**
 * The fault of an e-mail address from a stranger. It must also be in a public domain: the mail server may deliver
 * `root@localhost` to its own host, and other local names to people in its network.
 */
export function strangersEmailFault(text: string): string | null {
  const labels = text
    .toLowerCase()
    .slice(text.lastIndexOf('@') + 1)
    .split('.');
  const last = labels.at(-1) ?? '';
  const isPublic = labels.length > 1 && /[a-z]/.test(last) && !localNames.includes(last);
  return emailFault(text) ?? (isPublic ? null : 'must be of a public domain, for example ada@example.org');
}
