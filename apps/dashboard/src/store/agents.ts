import type { Schemas } from '@vantage/client';
import { api, take } from './api.ts';

/** All agents in the order of their creation: the list comes whole where no Limit is sent. */
export const readAgents = (): Promise<readonly Schemas['Agent'][]> => take(api.GET('/agents'));
