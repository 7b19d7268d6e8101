import type { SchemaFact } from './openapi-schema.ts';

/** Examples of Options that one Method has, by `Schema.property`. */
export const optionFacts: Readonly<Record<string, SchemaFact>> = {
  'OptionsTCP.Expect': { example: '+PONG' },
  'OptionsSNMP.AuthKey': { example: 'a long password' },
  'OptionsMQTT.ClientId': { example: 'vantage-1' },
  'OptionsMQTT.ExpectMessage': { example: 'online' },
  'OptionsMQTT.Message': { example: 'hello' },
  'OptionsMQTT.Topic': { example: 'monitor/vantage' },
  'OptionsPostgreSQL.ExpectRole': { example: 'primary' },
  'OptionsRedis.Command': { example: 'LLEN jobs' },
  'OptionsRedis.Database': { example: 1 },
  'OptionsRedis.ExpectRole': { example: 'master' },
  'OptionsRedis.ExpectValue': { example: '0' },
  'OptionsRedis.Info': { example: true },
  'OptionsRedis.MaxReplicationLagSeconds': { example: 10 },
  'OptionsRedis.MinReplicas': { example: 1 },
  'OptionsWebSocket.ExpectRegex': { example: '"type": ?"connection_ack"' },
  'OptionsWebSocket.ExpectText': { example: 'connection_ack' },
  'OptionsWebSocket.Ping': { example: true },
  'OptionsWebSocket.Send': { example: '{"type":"connection_init"}' },
  'OptionsWebSocket.Subprotocol': { example: 'graphql-ws' },
  'OptionsgRPC.Authority': { example: 'api.example.org' },
  'OptionsgRPC.ExpectStatus': { example: 'SERVING' },
  'OptionsgRPC.Metadata': { example: { 'x-tenant': 'shop' } },
  'OptionsgRPC.Service': { example: 'shop.v1.Orders' },
};
