import type { Schemas } from '@vantage/client';
import { api, take } from './api.ts';

/** All people of the account. */
export const readUsers = (): Promise<readonly Schemas['User'][]> => take(api.GET('/users'));
