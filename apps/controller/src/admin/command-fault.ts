import { Fault } from '@vantage/kernel';

/** A command that fails, also when it is repeated. The code is for programs. */
export function drop(code: string, message: string): Fault {
  return new Fault('drop', code, message);
}

export function noAccount(nameOrId: string, accounts: readonly { readonly name: string }[]): Fault {
  const names = accounts.map(({ name }) => name).join(', ');
  return drop('no_account', `there is no account ${nameOrId}; accounts: ${names || 'none'}`);
}
