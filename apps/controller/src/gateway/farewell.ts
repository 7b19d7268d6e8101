import { create } from '@bufbuild/protobuf';
import { type ConnectResponse, ConnectResponseSchema, type Goodbye_Reason } from '@vantage/proto';

/** The last message of a stream that never became a session. */
export function farewell(reason: Goodbye_Reason, text: string): ConnectResponse {
  return create(ConnectResponseSchema, { message: { case: 'goodbye', value: { reason, text } } });
}
